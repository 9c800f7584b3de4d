package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// replace puts one of the small films that package splice is tested with in the place of a
// video's file, as if an earlier version had stored it, and waits until it has been read.
func (s *server) replace(t *testing.T, who *person, path, name, kind, read string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "db", "media", "splice", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])
	blob := filepath.Join(s.dir, "media", hash[:2], hash[2:])
	if err := os.MkdirAll(filepath.Dir(blob), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blob, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s.change(t, fmt.Sprintf(`UPDATE media SET hash = '%s', size = %d, type = '%s' WHERE kind = 'video' AND task_id = %s`, hash, len(content), kind, strings.TrimPrefix(path, "/tasks/")))
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		page, err := who.get(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(page, read) {
			return
		}
	}
	t.Fatalf("%s was not read", name)
}

// notice is what stands over the film, and shown is whether it is seen.
const (
	notice      = `document.querySelector(".film .unplayable")`
	noticeShown = notice + `?.checkVisibility() === true`
)

func TestAFilmThatTheBrowserCannotShowSaysSoBeforeItIsPlayed(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	who := s.member(t)
	good, hevc, sound := who.make(t, "A good film"), who.make(t, "A film in H.265"), who.make(t, "Sound alone")
	for _, path := range []string{good, hevc, sound} {
		who.finish(t, path)
	}
	s.replace(t, who, hevc, "hevc-sound.mp4", "video/mp4", "H.265")
	s.replace(t, who, sound, "sound-only.mp4", "video/mp4", "no picture")
	open, closed := who.share(t, hevc, "title=With&download=on"), who.share(t, hevc, "title=Without")
	dir := os.Getenv("DAILIES_SCREENSHOTS")

	p := newTabOf(t, who)
	judged := `!!` + notice + `?.judged`
	p.open(good)
	p.await("the browser was asked", judged)
	p.await("the film is there", `document.querySelector(".film video").readyState > 0`)
	p.await("nothing is said", `!(`+noticeShown+`)`)
	for i, l := range looks {
		p.setLook(l)
		p.open(hevc)
		p.await("that it cannot be played is said", noticeShown+` && `+notice+`.textContent.includes("This browser can’t play this file (H.265).")`)
		p.await("it does not play by itself", `document.querySelector(".film video").paused`)
		p.await("it is offered", notice+`.querySelector("a").href.endsWith("?download=1")`)
		p.await("the notice is within the film", `(([a, b]) => a.top >= b.top - 1 && a.bottom <= b.bottom + 1)([`+notice+`, document.querySelector(".film")].map(e => e.getBoundingClientRect()))`)
		if dir != "" {
			p.save(filepath.Join(dir, fmt.Sprintf("unplayable-%d-%s.png", i, l.name)))
		}
	}
	p.setLook(looks[0])
	p.open(sound)
	p.await("that it has no picture is said", noticeShown+` && `+notice+`.textContent.includes("sound but no picture")`)
	p.open("/gallery?who=me")
	p.await("two tiles say so", `[...document.querySelectorAll(".cell .mark")].filter(e => e.checkVisibility()).map(e => e.textContent).join().includes("Can’t play here")`)
	if dir != "" {
		p.save(filepath.Join(dir, "unplayable-gallery.png"))
	}
	p.open("/compare?id=" + strings.TrimPrefix(good, "/tasks/") + "&id=" + strings.TrimPrefix(hevc, "/tasks/"))
	p.await("of two, one says so", `[...document.querySelectorAll(".unplayable")].filter(e => e.checkVisibility()).length === 1`)

	guest := newTab(t, who.base)
	for link, offered := range map[string]bool{open: true, closed: false} {
		guest.open(link)
		guest.await("the guest is told", noticeShown+` && `+notice+`.textContent.includes("H.265")`)
		guest.await("and offered what is allowed", fmt.Sprintf(`!!%s.querySelector("a") === %v && %s.textContent.includes("Ask for another file") === %v`, notice, offered, notice, !offered))
	}
	if dir != "" {
		guest.save(filepath.Join(dir, "unplayable-guest.png"))
	}
	plain := newTab(t, who.base)
	plain.withoutScript()
	plain.open(closed)
	if dir != "" {
		plain.save(filepath.Join(dir, "unplayable-plain.png"))
	}
}
