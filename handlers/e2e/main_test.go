// Package e2e drives the whole program as a person does: the real binary as a
// child process, with its sandbox, and a real Chromium in front of it.
package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// folder holds what all tests share: the binary, the catalogue, the browser's
// profile. It is gone at the end.
var folder string

func TestMain(m *testing.M) {
	flag.Parse()
	atOnce()
	os.Exit(run(m))
}

// atOnce lets two stories for each processor run at the same time, unless -parallel
// says how many: half of the time a story waits, for a film or for the browser.
func atOnce() {
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		_ = flag.Set("test.parallel", fmt.Sprint(2*runtime.GOMAXPROCS(0))) // it is a number
	}
}

func run(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "dailies-e2e-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	defer closeBrowser()
	defer stopShared()
	return m.Run()
}

// binary is the program under test, built once, and as it is released: without C
// also where the tests themselves need it for the race detector.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder, "dailies")
	build := exec.Command("go", "build", "-o", path, "dailies")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

// errNoChromium makes tests skip on a person's machine.
var errNoChromium = errors.New("no Chromium on the PATH")

// closeBrowser ends the browser, if there is one.
var closeBrowser = func() {}

// browser is the one Chromium; every tab gets cookies and storage of its own. The
// headless shell comes first: it is Chromium without its own windows, which take
// as much of the processor as the pages in them.
var browser = sync.OnceValues(func() (context.Context, error) {
	path := ""
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, errNoChromium
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(filepath.Join(folder, "profile")),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancelBrowser := chromedp.NewContext(ctx)
	closeBrowser = func() { cancelBrowser(); cancel() }
	return ctx, chromedp.Do(ctx)
})

// needBrowser returns the browser. Without one the test is skipped, but not in
// CI, where nobody would notice.
func needBrowser(t *testing.T) context.Context {
	t.Helper()
	ctx, err := browser()
	if errors.Is(err, errNoChromium) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}
