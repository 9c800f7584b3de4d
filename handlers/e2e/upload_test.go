package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// photoFile returns the path of a JPEG file that contains a private comment.
func photoFile(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, drawn("/photo"), nil); err != nil {
		t.Fatal(err)
	}
	comment := "\xff\xfe\x00\x0ftaken at home"
	path := filepath.Join(t.TempDir(), "harbour.jpg")
	if err := os.WriteFile(path, append([]byte("\xff\xd8"+comment), b.Bytes()[2:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns the content of the URL, requested without cookies.
func read(t *testing.T, address string) []byte {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", address, resp.Status, err)
	}
	return b
}

// uploadedPicture waits until the picture with the index is uploaded and displayed.
func (p *tab) uploadedPicture(index int) {
	p.t.Helper()
	input := fmt.Sprintf(`document.querySelectorAll("input[name=image_input]")[%d]`, index)
	p.await("the picture has an address", input+`.value.includes("/p/")`)
	p.await("the picture shows", input+`.closest("[data-picture]").querySelector("img").naturalWidth === 320`)
	p.await("its size is told", input+`.closest("[data-picture]").innerText.includes("320 × 180")`)
}

func TestAChosenFileBecomesAVideo(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/image-to-video")
	p.mark()
	p.do(chromedp.SetUploadFiles(chromedp.CSS("input[type=file]"), []string{photoFile(t)}))
	p.uploadedPicture(0)
	p.stayed()
	if kept := read(t, get[string](p, `document.querySelector("[data-preview]").src`)); bytes.Contains(kept, []byte("taken at home")) {
		t.Error("the kept picture tells where it was taken")
	}
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitVideo()
}

func TestAVideoIsNotMadeWithoutAPictureThatWasRefused(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.expect("422")
	wrong := filepath.Join(t.TempDir(), "notes.png")
	if err := os.WriteFile(wrong, []byte("no picture at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.open("/create/reference-to-video")
	p.fill(promptField, "A cup on a table")
	get[bool](p, pasting(t, "paste", "clipboardData", "[data-picture]"))
	p.uploadedPicture(0)
	p.mark()
	p.do(chromedp.SetUploadFiles(chromedp.CSS("[data-picture='image_input.1'] input[type=file]"), []string{wrong}))
	p.await("the file is refused", `document.querySelector("[data-picture='image_input.1'] [data-note]").textContent`)
	p.await("that is an error", `document.querySelector("[data-picture='image_input.1'][data-bad]")`)
	p.clickText(makeButton, makeWords)
	p.await("the picture is asked for", `document.activeElement.closest("[data-picture='image_input.1']")?.textContent.includes("Press again")`)
	p.stayed()
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitVideo()
}

// pasting returns a script that dispatches a "paste" or "drop" event on the target,
// with a picture in the event's property.
func pasting(t *testing.T, kind, property, target string) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, drawn("/pasted")); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`(() => {
		const bytes = Uint8Array.from(atob(%q), c => c.charCodeAt(0)), from = new DataTransfer();
		from.items.add(new File([bytes], "image.png", {type: "image/png"}));
		document.querySelector(%q).dispatchEvent(new %s(%q, {%s: from, bubbles: true, cancelable: true}));
		return true;
	})()`, base64.StdEncoding.EncodeToString(b.Bytes()), target, map[string]string{"paste": "ClipboardEvent", "drop": "DragEvent"}[kind], kind, property)
}

func TestPicturesArePastedDroppedAndPickedAgain(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/frames-to-video")
	p.fill(promptField, "From a file to a file")
	get[bool](p, pasting(t, "paste", "clipboardData", promptField))
	p.uploadedPicture(0)
	get[bool](p, pasting(t, "drop", "dataTransfer", "[data-picture='image_input.1']"))
	p.uploadedPicture(1)
	p.open("/create/reference-to-video")
	p.await("it is offered again", `document.querySelector("[data-pick] img").naturalWidth === 320`)
	p.click("[data-pick]")
	p.uploadedPicture(0)
}

func TestUploadsWorkWithoutScript(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.withoutScript()
	p.open("/create/frames-to-video")
	p.fill(promptField, "No script at all")
	p.do(chromedp.SetUploadFiles(chromedp.CSS("[id='image_input-1-file']"), []string{photoFile(t)}))
	p.click("[data-picture='image_input.1'] noscript button[formenctype]")
	p.await("the end frame shows", `document.querySelector("[data-picture='image_input.1'] img[src^='/p/']")?.naturalWidth === 320`)
	if got := get[string](p, `document.querySelector("textarea").value`); got != "No script at all" {
		t.Errorf("the text is now %q", got)
	}
	p.await("it is offered again", `document.querySelector("button[name=pick] img")?.naturalWidth === 320`)
	p.click("button[name=pick]")
	p.await("the start frame shows", `document.querySelector("[data-picture='image_input.0'] img[src^='/p/']")?.naturalWidth === 320`)
}
