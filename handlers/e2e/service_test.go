package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
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

func TestALostConnectionIsToldUntilItIsBack(t *testing.T) {
	t.Parallel()
	s, who, p := ownServer(t)
	who.make(t, "It takes its time #slow")
	p.open("/create/text-to-video")
	p.awaitText("#latest", "It takes its time")
	if err := s.end(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.awaitText("#connection[role=status]", "Reconnecting… Nothing is lost.")
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	p.await("it is back", `document.querySelector("#connection").textContent === ""`)
	get[bool](p, `document.querySelector("#latest").old = true`)
	p.await("the page asks again", `performance.getEntriesByType("resource").at(-1).name.includes("/tasks/latest")`)
}

func TestTimesAreThoseOfWhoeverLooks(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "Seen from Kathmandu")
	p := newTabOf(t, who)
	zone := emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Kathmandu"}
	tell(p, emulation.SetTimezoneOverride, zone)
	p.open(path)
	const local = `[...document.querySelectorAll("time")].map(time => time.textContent + "|" + time.title).join("; ")`
	p.await("no time is in UTC", `document.querySelectorAll("time").length > 2 && !`+local+`.includes("UTC")`)
	const same = `(() => {
		const time = document.querySelector(".steps time"), at = new Date(Date.parse(time.dateTime) + 345 * 60000);
		return time.textContent === at.toISOString().slice(11, 19);
	})()`
	p.await("the hour is that of Kathmandu", same)
	// Times in fragments that htmx inserts are shown in the same zone.
	who.finish(t, path)
	p.await("the part that is new is too", `document.querySelector("video") && !`+local+`.includes("UTC")`)
}

func TestPlayersLoadNothingBeforeTheyAreWanted(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	path := who.make(t, "Quiet until it is wanted")
	who.finish(t, path)
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	p.await("the card is there", `document.readyState === "complete" && document.querySelector("#latest video")`)
	const asked = `performance.getEntriesByType("resource").filter(entry => entry.initiatorType === "video" && entry.name === document.querySelector("#latest video").src).length`
	p.await("its picture is there", `document.querySelector("#latest video").poster && performance.now() > 1500`)
	if n := get[int64](p, asked); n != 0 {
		t.Errorf("%d requests for a video that nobody plays", n)
	}
	if state := get[int64](p, `document.querySelector("#latest video").readyState`); state != 0 {
		t.Errorf("it has loaded up to state %d", state)
	}
	at := p.place("#latest video", "")
	p.do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	p.await(fmt.Sprintf("it is loaded once somebody points at it (%v)", at), `document.querySelector("#latest video").readyState > 0`)
}

// A key that the service refuses is not saved. The reason stands beside the field, which
// has the focus, and the refused key is not shown again; the next one can be typed at once.
func TestARefusedKeyIsExplainedBesideItsField(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]bool{"with script": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			p := newTabOf(t, sharedServer(t).member(t))
			if !script {
				p.withoutScript()
			}
			p.size(390, 844)
			p.open("/settings#key-section")
			p.expect("422")
			p.fill("#key", "sk-nobody-has-this-key")
			p.leave(func() { p.press("\r") })
			p.awaitText("#key-error", "refuses this key, so it isn’t saved")
			p.await("the field has the focus and is empty", focused("#key[aria-invalid=true][aria-describedby~=key-error]")+` && document.activeElement.value === ""`)
			p.fits(390)
		})
	}
}
