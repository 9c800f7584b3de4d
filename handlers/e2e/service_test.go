package e2e

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"
)

// newKey matches the key that a sandbox tells at its first start.
var newKey = regexp.MustCompile(`sk-[A-Z0-9]{20,}`)

// startSandbox starts a sandbox of its own with the settings, and returns its address and a
// key.
func startSandbox(t *testing.T, settings ...string) (address, key string) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	models, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	listener.Close()
	said := &logs{}
	c := exec.Command(path, append([]string{"sandbox", "-addr", addr, "-data", t.TempDir(), "-password", "the-console", "-catalog", models}, settings...)...)
	c.Env, c.Stderr = environ(), said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
	})
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get("http://" + addr)
		if err != nil {
			continue
		}
		answer.Body.Close()
		if key = newKey.FindString(said.String()); key != "" {
			return "http://" + addr, key
		}
	}
	t.Fatalf("the sandbox does not answer:\n%s", said)
	return "", ""
}

// examineState saves a picture of the page if somebody wants one, and lets axe examine it.
func (p *tab) examineState(axe, name string) {
	p.t.Helper()
	if dir := os.Getenv("DAILIES_SCREENSHOTS"); dir != "" {
		for _, l := range looks {
			p.setLook(l)
			p.await("the page is at rest", atRest)
			p.shoot(filepath.Join(dir, name+"-"+l.name), l)
		}
	}
	if axe != "" {
		p.checkWithAxe(axe, name)
	}
	p.setLook(looks[0])
}

// With the mouse alone, an admin leads the team out of practice mode to a first video of
// the service, and back.
func TestAServiceIsConnectedInTheBrowser(t *testing.T) {
	axe := findAxe(t)
	t.Parallel()
	_, _, p := ownServer(t)
	address, key := startSandbox(t)
	p.open("/create/text-to-video")
	p.leave(func() { p.clickText(".practice a", "Connect your video service") })
	p.awaitPath("/team/service")

	p.expect("422")
	p.fill("[name=address]", address+"/")
	p.fill("[name=key]", "sk-0123456789wrong")
	p.leave(func() { p.clickText("button", "Test") })
	p.awaitText("#key-error", "doesn’t know this key")
	p.examineState(axe, "service-wrong-key")
	p.fill("[name=key]", key)
	p.leave(func() { p.clickText("button", "Test") })
	p.awaitText("#connect", "It works.")
	p.await("no page has the key", `!document.documentElement.outerHTML.includes("`+key+`")`)
	p.examineState(axe, "service-works")
	p.leave(func() { p.clickText("button", "Use for the whole team") })
	p.awaitText("main", "The team now makes real videos.")
	p.await("it is in use", `document.querySelector("code.whole").textContent === "`+address+`"`)
	p.examineState(axe, "service-connected")

	p.leave(func() { p.clickText("main a", "Make a video") })
	p.await("the practice line is gone", `!document.querySelector(".practice")`)
	p.fill(promptField, "The first video of the service")
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitVideo()
	p.play("#latest video", 10)

	// The way back is open without JavaScript, too.
	p.withoutScript()
	p.open("/team/service")
	p.click("#practice summary")
	p.leave(func() { p.clickText("#practice button", "Use practice mode") })
	p.awaitText("main", "Connect your video service")
	p.open("/gallery")
	p.await("the video is still here", `document.querySelectorAll("[data-play]").length === 1`)
	p.open("/create/text-to-video")
	p.awaitText(".practice", "no real credits")
}
