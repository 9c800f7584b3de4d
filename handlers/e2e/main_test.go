// Package e2e tests the whole program as a user sees it: the real binary as a child
// process, with its sandbox, and a real Chromium.
package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"dailies/web/scopetest"
)

// folder is a temporary folder that all tests share: it contains the binary, the model
// catalogue and the browser's profile. It is deleted at the end.
var folder string

// inQuickRuns lists the stories of quick runs: the first video, a client's answer, no
// script, a kill, and what the documents say.
var inQuickRuns = []func(*testing.T){
	TestFirstRunLeadsToAFormThatWorks, TestKeyboardAloneSignsInAndMakesAVideo, TestAGuestWritesAndApproves,
	TestEverythingWorksWithoutScript, TestVideoSurvivesTheEndOfTheServer, TestOneProgramServesAFolder,
	TestUnusableSettingIsOneLineAndStatus2, TestTheTableOfSettingsIsThatOfTheProgram, TestHelpNamesEverySetting,
	TestLinksOfDocumentsLeadSomewhere, TestPathsInDocumentsExist, TestAnchorsAreThoseOfGitHub,
	TestOnlyAnUnderstoodComposeFileIsRun,
}

func TestMain(m *testing.M) {
	flag.Parse()
	if scopetest.Quick() {
		chooseQuick()
	}
	setParallel()
	os.Exit(run(m))
}

// chooseQuick sets -run to the stories of quick runs.
func chooseQuick() {
	var names []string
	for _, story := range inQuickRuns {
		name := runtime.FuncForPC(reflect.ValueOf(story).Pointer()).Name()
		names = append(names, name[strings.LastIndex(name, ".")+1:])
	}
	_ = flag.Set("test.run", "^("+strings.Join(names, "|")+")$") // cannot fail: the names are letters
}

// setParallel runs two tests per processor at the same time, unless -parallel is given,
// because a test spends half of its time waiting for a video or the browser.
func setParallel() {
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		_ = flag.Set("test.parallel", fmt.Sprint(2*runtime.GOMAXPROCS(0))) // cannot fail: the value is a number
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

// binary builds the program under test once, like a release: without cgo, even if the
// tests need cgo for the race detector. Only the storybook is added.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder, "dailies")
	build := exec.Command("go", "build", "-tags", "storybook", "-o", path, "dailies")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

// environ returns the environment for the program under test: without the variables of
// these tests, which it would report as unknown settings, or settings of the machine.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(pair string) bool { return strings.HasPrefix(pair, "DAILIES_") })
}

// errNoChromium says that the machine has no browser for the tests.
var errNoChromium = errors.New("no Chromium on the PATH")

// closeBrowser ends the browser if it was started.
var closeBrowser = func() {}

// browser starts the one Chromium that all tests share; each tab has cookies and
// storage of its own. The headless shell is preferred: it is Chromium without its
// window system, which uses as much CPU as the pages.
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
	if readmeFolder != "" { // the pages are as for somebody with a mouse
		options = append(options, chromedp.Flag("blink-settings", "primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"))
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancelBrowser := chromedp.NewContext(ctx)
	closeBrowser = func() { cancelBrowser(); cancel() }
	return ctx, chromedp.Do(ctx)
})

// needBrowser returns the browser. If there is none, the test ends as scopetest.Missing says.
func needBrowser(t *testing.T) context.Context {
	t.Helper()
	ctx, err := browser()
	if errors.Is(err, errNoChromium) {
		scopetest.Missing(t, "chromium-headless-shell")
	}
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}
