package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dailies/web/scopetest"
)

// A listed holds the fields of a package that "go list -json" prints.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct {
		Main      bool
		GoVersion string
	}
}

// Building for another platform takes minutes, because the standard library and SQLite
// must be compiled again. Type checking takes seconds and finds all the mistakes that our
// packages can make there.
func TestProgramFitsOtherPlatforms(t *testing.T) {
	platforms := []string{"linux/arm64", "darwin/arm64", "windows/amd64"}
	if scopetest.Long() {
		platforms = append(platforms, "linux/amd64", "darwin/amd64", "windows/arm64")
	}
	for _, platform := range platforms {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			system, arch, _ := strings.Cut(platform, "/")
			checkTypes(t, system, arch)
		})
	}
}

func checkTypes(t *testing.T, system, arch string) {
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", ".")
	list.Dir = filepath.Join("..", "..")
	list.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	var errs strings.Builder
	list.Stderr = &errs
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	done, own := packages{"unsafe": types.Unsafe}, 0
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module != nil && p.Module.Main {
			own++
		}
		if err := done.check(p, arch); err != nil {
			t.Fatalf("%s: %v", p.ImportPath, err)
		}
	}
	if own < 20 {
		t.Errorf("only %d packages of our own were checked", own)
	}
}

// packages holds the packages that have been checked, by their import paths.
type packages map[string]*types.Package

// check type-checks a package. The packages that it imports must have been checked
// before. In packages of other modules, it skips the bodies of functions.
func (done packages) check(p listed, arch string) error {
	if p.ImportPath == "unsafe" {
		return nil
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	c := types.Config{
		IgnoreFuncBodies: p.Module == nil || !p.Module.Main,
		Sizes:            types.SizesFor("gc", arch),
		Importer: importer(func(path string) (*types.Package, error) {
			if mapped, ok := p.ImportMap[path]; ok {
				path = mapped
			}
			if found, ok := done[path]; ok {
				return found, nil
			}
			return nil, fmt.Errorf("%s is not known", path)
		}),
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		c.GoVersion = "go" + p.Module.GoVersion
	}
	checked, err := c.Check(p.ImportPath, set, files, nil)
	done[p.ImportPath] = checked
	return err
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
