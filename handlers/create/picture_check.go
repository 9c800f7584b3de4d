package create

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/ordering"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/picture"
)

// Pictures checks the pictures at addresses, uploaded here or elsewhere.
type Pictures struct {
	*Uploaded
	checker *picture.Checker
	sandbox site.Sandbox
}

// ShowNote shows the note under a picture's field about the picture at the address.
func (p *Pictures) ShowNote(w http.ResponseWriter, r *http.Request) error {
	address := []string{strings.TrimSpace(site.PlainText(r.FormValue("url")))}
	if err := p.Settle(r.Context(), address); err != nil {
		return err
	}
	note := createview.PictureNote{}
	if sentence := addressSentence(address[0]); sentence != "" {
		note = createview.PictureNote{Text: sentence, Bad: true}
	} else if address[0] != "" {
		note = p.Judge(r.Context(), site.Me(r).ID, address[0])
	}
	return web.Fragment(w, r, http.StatusOK, createview.ShowPictureNote(note))
}

// Look checks the pictures, all at the same time and each address once, and returns a
// problem for each unusable one. It skips slow ones that the user has accepted. A
// host name that cannot be resolved here may still be known to a real service, so it
// is a problem only for the sandbox, which fetches pictures from here; the note under
// the field mentions it in any case.
func (p *Pictures) Look(ctx context.Context, userID int64, pictures, accepted []string) Problems {
	addresses := withoutGaps(pictures)
	slices.Sort(addresses)
	addresses = slices.DeleteFunc(slices.Compact(addresses), func(address string) bool { return slices.Contains(accepted, address) })
	found := make([]createview.PictureNote, len(addresses))
	var all sync.WaitGroup
	for i, address := range addresses {
		all.Go(func() { found[i] = p.Judge(ctx, userID, address) })
	}
	all.Wait()
	var problems Problems
	for i, address := range pictures {
		at := slices.Index(addresses, address)
		if at < 0 || !p.refuses(found[at]) {
			continue
		}
		problem := Problem{Kind: BadPicture, Field: PictureField(i), Text: found[at].Text, Address: address}
		if found[at].Slow {
			problem.Kind = SlowPicture
			problem.Text = format.Sentences(problem.Text, "Press again to use it anyway.")
		}
		problems = append(problems, problem)
	}
	return problems
}

// refuses reports whether a picture with this note cannot be used.
func (p *Pictures) refuses(note createview.PictureNote) bool {
	return note.Bad && (!note.Unknown || p.sandbox != nil)
}

// Judge returns a note about the picture at the address. An uploaded picture is known
// without a request; for others, the checker lets the users take turns.
func (p *Pictures) Judge(ctx context.Context, userID int64, address string) createview.PictureNote {
	note, known := p.judge(ctx, address)
	if !known {
		note = noteOf(p.checker.Check(ctx, strconv.FormatInt(userID, 10), address), "address")
	}
	note.Address = address
	return note
}

// judge is like Pictures.Judge for a picture that was uploaded here; known is false for any
// other.
func (u *Uploaded) judge(ctx context.Context, address string) (note createview.PictureNote, known bool) {
	token := ordering.PictureToken(address)
	if token == "" {
		return note, false
	}
	uploaded, err := u.stored.Picture(ctx, token)
	here := err != nil
	if err == nil {
		here, err = u.media.Has(ctx, uploaded.Hash)
	}
	switch {
	case errors.Is(err, db.ErrNotFound) && u.wasHere(address), !here && err == nil:
		return createview.PictureNote{Text: "This picture is gone. Add it again.", Bad: true}, true
	case err != nil:
		return note, false
	case !u.network.UploadsReach():
		return createview.PictureNote{Text: uploadsOff, Bad: true}, true
	}
	note = noteOf(picture.Finding{Info: picture.Info{Type: uploaded.Type, Width: uploaded.Width, Height: uploaded.Height}}, "file")
	note.Name = uploaded.Name
	if uploaded.Size > 0 {
		note.Facts = format.Facts(note.Facts, part.Bytes(uploaded.Size))
	}
	return note, true
}

// seen returns the notes about the uploaded pictures among the addresses.
func (u *Uploaded) seen(ctx context.Context, addresses []string) (map[string]createview.PictureNote, error) {
	seen := map[string]createview.PictureNote{}
	for _, address := range addresses {
		if note, known := u.judge(ctx, address); known {
			seen[address] = note
		}
	}
	return seen, ctx.Err()
}

// uploadsOff is the reason why uploaded pictures cannot be used.
const uploadsOff = "Uploads aren’t set up. Paste a link, or ask an admin."

// The usual limits of models, for those that do not state theirs.
const (
	smallSide = 300 // pixels
	longShape = 3   // times as long as wide
)

// noteOf returns the note for a finding. what is "address" or "file".
func noteOf(f picture.Finding, what string) createview.PictureNote {
	bad := func(format string, values ...any) createview.PictureNote {
		return createview.PictureNote{Text: fmt.Sprintf(format, values...), Bad: true}
	}
	switch f.Fault {
	case picture.Fine:
		return fineNote(f.Info.Width, f.Info.Height)
	case picture.Slow:
		note := bad("No picture within %.0f seconds. The video service may give up, too.", picture.Timeout.Seconds())
		note.Slow, note.Hint = true, "Very slow"
		return note
	case picture.Waited:
		note := bad("Not checked: many pictures are being checked right now.")
		note.Slow, note.Hint = true, "Not checked, because many pictures are"
		return note
	case picture.Skipped:
		note := bad("Not checked: many pictures from its server just were.")
		note.Slow, note.Hint = true, "Not checked yet, as many pictures from its server just were; check again in a minute"
		return note
	case picture.Private:
		return bad("This link only works inside your network. Upload the picture.")
	case picture.Nowhere:
		note := bad("No server has this name. Check the link for a typing mistake.")
		note.Unknown = true
		return note
	case picture.Answered:
		return bad("%s", answeredWith(f.Status))
	case picture.Other:
		return bad("%s", insteadOfPicture(f.Kind, what))
	case picture.Broken:
		return bad("Damaged file. Try another copy.")
	case picture.TooManyBytes:
		return bad("Over 20 MB. Use a smaller copy.")
	case picture.TooManyPixels:
		return bad("Over 50 megapixels. Use a smaller copy.")
	}
	return bad("This link’s server isn’t answering. Check the link, or use another.")
}

// fineNote returns the note for a valid picture, with its dimensions and a warning if
// models may refuse them.
func fineNote(width, height int) createview.PictureNote {
	note := createview.PictureNote{Facts: fmt.Sprintf("%d × %d", width, height), Width: width, Height: height}
	switch long, short := max(width, height), min(width, height); {
	case short < smallSide:
		note.Text = fmt.Sprintf("Small: many models want %d pixels each way.", smallSide)
	case long > longShape*short:
		note.Text = "Long and narrow: many models refuse that."
	default:
		note.Good = true
	}
	return note
}

// answeredWith explains what an HTTP status means for a picture.
func answeredWith(status int) string {
	switch status {
	case http.StatusNotFound, http.StatusGone:
		return fmt.Sprintf("No picture at this link (%d)", status)
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return fmt.Sprintf("This link isn’t open to everybody (%d). Upload the picture.", status)
	}
	return fmt.Sprintf("This link’s server has trouble (%d). Try later, or use another link.", status)
}

// insteadOfPicture explains what was found instead of a picture.
func insteadOfPicture(kind, what string) string {
	switch {
	case kind == "text/html" && what == "address":
		return "That’s a web page. Copy the picture’s own link."
	case strings.HasPrefix(kind, "video/"):
		return "That’s a video. Save one of its frames as a picture."
	}
	names := map[string]string{
		"image/heic": "a HEIC picture", "image/avif": "an AVIF picture", "image/tiff": "a TIFF picture",
		"image/svg+xml": "an SVG drawing", "application/pdf": "a PDF", "text/html": "a web page",
	}
	if name, known := names[kind]; known {
		return fmt.Sprintf("This is %s. Save it as JPEG or PNG.", name)
	}
	return fmt.Sprintf("We can’t use this %s. Choose a JPEG, PNG, WebP, GIF or BMP.", what)
}
