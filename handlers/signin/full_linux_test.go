package signin_test

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dailies/db/folder"
	"dailies/handlers/handlerstest"
)

// fill uses up all space left on the disk.
func fill(t *testing.T, dir string) {
	t.Helper()
	filler, err := os.OpenFile(filepath.Join(dir, "filler"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	must(t, err)
	defer filler.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = filler.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Error(err)
		}
	}
}

// exhaust fills the disk again and again, until the database cannot take one more row.
func exhaust(t *testing.T, p *handlerstest.Browser, disk string) {
	t.Helper()
	for i := range 900 {
		fill(t, disk)
		if a := p.Post("/collections", url.Values{"name": {fmt.Sprintf("Collection %d", i)},
			"note": {strings.Repeat("Kim ", 200)}}); a.StatusCode == 503 {
			a.Shows("out of space")
			return
		}
	}
	t.Fatal("the disk does not get full")
}

func TestPeopleSignInAndOutOnAFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=24m"); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skip("only root can make a small disk")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(disk, syscall.MNT_DETACH)) })
	h := handlerstest.NewAt(t, disk)
	reserve := folder.NewReserve(disk+"/reserve", folder.ReserveSize, func() (int64, error) { return -1, nil })
	must(t, reserve.Fill())
	h.Store.OnFull(reserve.FreePart)
	owner := h.Founder(t)
	secret, recovery := turnOn(t, h.Joiner(t, owner, "ada"))
	exhaust(t, owner, disk)

	// Whatever else is written is refused with the sentence about space. As the log of the
	// database begins anew now and then, there may still be room for a few rows.
	for path, form := range map[string]url.Values{
		"/members/invites": {},
		"/collections":     {"name": {"Spring"}},
	} {
		var a *handlerstest.Answer
		for i := range 200 {
			fill(t, disk)
			if form.Has("name") {
				form.Set("name", fmt.Sprintf("Spring %d", i))
			}
			if a = owner.Post(path, form); a.StatusCode == 503 {
				break
			}
		}
		a.Is(503).Shows("out of space")
	}
	for i := range 40 {
		fill(t, disk)
		p := h.Stranger(t)
		if i < 4 {
			p.Post("/login", handlerstest.Credentials("kim@example.com", "a wrong password")).Is(422)
		}
		p.Post("/login", handlerstest.Credentials("kim@example.com", handlerstest.Password)).Is(303).LeadsTo("/")
		for _, page := range []string{"/gallery", "/settings", "/members", "/create/text-to-video", "/usage", "/collections", "/bin",
			"/recipes"} {
			p.Get(page).Is(200)
		}
		p.Post("/logout", nil).Is(303)
		p.Get("/gallery").Is(303)
		if i == 0 {
			p.Post("/login", handlerstest.Credentials("ada@example.com", handlerstest.Password)).Is(303).LeadsTo("/login/code")
			p.Post("/login/code", url.Values{"code": {"000000"}}).Is(422)
			p.Post("/login/code", url.Values{"code": {codeOf(t, secret, 1)}}).Is(303)
			p.Post("/logout", nil).Is(303)
			p.Post("/login", handlerstest.Credentials("ada@example.com", handlerstest.Password)).Is(303)
			p.Post("/login/code", url.Values{"code": {recovery[0]}}).Is(303)
			p.Post("/logout", nil).Is(303)
		}
	}
	// A picture is refused beside its field.
	fill(t, disk)
	picture := []handlerstest.File{{Field: "file.image_input.0", Name: "a.jpg", Content: handlerstest.Photo(t, 400, 300)}}
	owner.Upload("/pictures?scene=image-to-video", nil, picture, "HX-Request-Type", "partial").Shows("Picture storage is full")
	if half, err := os.Stat(disk + "/reserve"); err != nil || half.Size() < folder.ReserveSize/2 {
		t.Errorf("less than half is left for paid answers: %v, %v", half, err)
	}
	must(t, os.Remove(disk+"/filler"))
	owner.Post("/settings", url.Values{"name": {"Kim Possible"}}).Is(303)
}
