package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// A part is a third-party component of the program: a module, Go's standard library, or a
// vendored file in the repository.
type part struct {
	name, version string
	purl          string // its package URL
	folder        string // contains the texts of its licences
	licences      []licence
}

// partsOf returns the build information in the program and the parts that it lists, plus
// the standard library and htmx.
func partsOf(program string) (*debug.BuildInfo, []part, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, nil, err
	}
	root, err := goSays("env", "GOROOT")
	if err != nil {
		return nil, nil, err
	}
	htmx, err := vendored("static/vendor/htmx", "htmx.org")
	if err != nil {
		return nil, nil, err
	}
	version := strings.TrimPrefix(info.GoVersion, "go")
	parts := []part{{name: "std", version: version, purl: "pkg:golang/std@" + version, folder: root}, htmx}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		folder, err := goSays("list", "-m", "-f", "{{.Dir}}", m.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		purl := "pkg:golang/" + strings.ToLower(m.Path) + "@" + m.Version
		parts = append(parts, part{name: m.Path, version: m.Version, purl: purl, folder: folder})
	}
	for i, p := range parts {
		if parts[i].licences, err = licencesIn(p.folder); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return info, parts, nil
}

// vendored returns the npm package in the folder. Its version is the last word of the
// first line of the README there.
func vendored(folder, name string) (part, error) {
	text, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		return part{}, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	version := line[strings.LastIndex(line, " ")+1:]
	return part{name: name, version: version, purl: "pkg:npm/" + name + "@" + version, folder: folder}, nil
}

func goSays(args ...string) (string, error) {
	out, err := exec.Command("go", args...).Output()
	return strings.TrimSpace(string(out)), err
}
