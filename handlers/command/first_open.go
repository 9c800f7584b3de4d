package command

import (
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/cli/browser"
	"golang.org/x/term"

	"dailies/db/folder"
)

// A startedFrom is where the program was started, as far as it tells whether somebody sits there.
type startedFrom struct {
	system   string                   // as runtime.GOOS
	process  int                      // the program's own ID
	terminal bool                     // standard error is one
	value    func(name string) string // of an environment variable
	exists   func(path string) bool
}

// startedFrom returns where this program was started.
func (p program) startedFrom() startedFrom {
	file, ok := p.stderr.(*os.File)
	return startedFrom{
		system: runtime.GOOS, process: os.Getpid(), terminal: ok && term.IsTerminal(int(file.Fd())),
		value:  func(name string) string { value, _ := p.Lookup(name); return value },
		exists: func(path string) bool { _, err := os.Lstat(path); return err == nil },
	}
}

// isAttended reports whether a person has started the program in a terminal on a desktop
// with a display, and not a service manager, a container, a test or somebody far away.
func (d startedFrom) isAttended() bool {
	if !d.terminal || d.value("CI") != "" || d.value("SSH_CONNECTION") != "" || d.value("NOTIFY_SOCKET") != "" {
		return false
	}
	for _, name := range []string{"container", "KUBERNETES_SERVICE_HOST"} {
		if d.value(name) != "" {
			return false
		}
	}
	if d.exists("/.dockerenv") || d.exists("/run/.containerenv") {
		return false
	}
	// Terminals that systemd has started pass its variables on to what runs in them, but
	// name another process.
	if started := d.value("SYSTEMD_EXEC_PID"); d.value("INVOCATION_ID") != "" && (started == "" || started == strconv.Itoa(d.process)) {
		return false
	}
	return d.system == "darwin" || d.system == "windows" || d.value("DISPLAY") != "" || d.value("WAYLAND_DISPLAY") != ""
}

// openInBrowser opens the file. What the browser prints is not the program's.
func openInBrowser(path string) error {
	address, err := fileURL(path)
	if err != nil {
		return err
	}
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	return browser.OpenURL(address)
}

// fileURL returns the address of the file for a browser. In it, characters such as # and %
// of the path have no other meaning.
func fileURL(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}).String(), nil
}

const (
	setupFile = "open.html"
	setupLife = time.Minute // of the file; browsers need it for a moment
)

// setupPage leads to an address. It is no template, because package html/template would
// make the program 6 MB larger.
const setupPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=%[1]s">
<title>Dailies</title>
<p><a href="%[1]s">Begin with Dailies</a></p>
</html>
`

// openSetup opens the setup link with open, and returns a function that removes what it
// needed. It goes through a file that only its owner may read, because everybody on the
// machine sees the arguments of other people's programs, and the link contains a secret.
// If it does not succeed, there is still the link in the log.
func openSetup(f *folder.Folder, link string, open func(path string) error, log *slog.Logger) (end func()) {
	path := f.Path(setupFile)
	remove := func() { _ = os.Remove(path) }
	if err := folder.Write(path, fmt.Appendf(nil, setupPage, html.EscapeString(link))); err != nil {
		log.Warn("no browser was opened at the first page", "err", err)
		return remove
	}
	late := time.AfterFunc(setupLife, remove)
	go func() {
		if err := open(path); err != nil {
			log.Debug("no browser could be opened", "err", err)
		}
	}()
	return func() { late.Stop(); remove() }
}
