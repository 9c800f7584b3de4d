package handlers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/picture"
)

// showPictureNote is the part under a picture's field: what was found at the
// address in it.
func (a *App) showPictureNote(w http.ResponseWriter, r *http.Request) error {
	address, err := a.currentAddress(r.Context(), strings.TrimSpace(site.PlainText(r.FormValue("url"))))
	if err != nil {
		return err
	}
	note := createview.PictureNote{Text: createview.PictureHint(a.UploadsReach())}
	if rule := site.FirstRule(validate.Var(address, "omitempty,max=2048,http_url")); rule != "" {
		note = createview.PictureNote{Text: formSentence("image_input", rule), Bad: true}
	} else if address != "" {
		note = a.judge(r.Context(), address)
	}
	return web.Fragment(w, r, http.StatusOK, createview.ShowPictureNote(note))
}

// lookAtPictures returns messages for the pictures of the form that will not
// do, none if all will. It looks at all of them at once, and at each address
// once. About one that is only slow the person is told once, and decides. A
// name that cannot be looked up here may be known where the service is, so only
// the sandbox, which looks from here too, refuses it; what stands under the
// field says so all the same.
func (a *App) lookAtPictures(ctx context.Context, f *createForm) part.Errors {
	fields := f.pictureFields()
	addresses := slices.Compact(slices.Sorted(maps.Values(fields)))
	addresses = slices.DeleteFunc(addresses, func(address string) bool { return slices.Contains(f.SlowTold, address) })
	found := make([]createview.PictureNote, len(addresses))
	var all sync.WaitGroup
	for i, address := range addresses {
		all.Go(func() { found[i] = a.judge(ctx, address) })
	}
	all.Wait()
	errs := part.Errors{}
	for i, address := range addresses {
		note := found[i]
		if !note.Bad || note.Unknown && a.Sandbox == nil {
			continue
		}
		if note.Slow {
			f.SlowTold = append(f.SlowTold, address)
			note.Text += " Press the button again to use it anyway."
		}
		for field := range fields {
			if fields[field] == address {
				errs[field] = note.Text
			}
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// pictureFields are the pictures that were given, by the names of their fields.
func (f createForm) pictureFields() map[string]string {
	fields := map[string]string{"end_image_url": f.EndPicture}
	for i, address := range f.Pictures {
		fields[pictureField(i)] = address
	}
	maps.DeleteFunc(fields, func(_, address string) bool { return address == "" })
	return fields
}

// judge says in one sentence what stands behind the address. What was uploaded
// here is known without asking.
func (a *App) judge(ctx context.Context, address string) createview.PictureNote {
	note := a.judgeUploaded(ctx, address)
	if note.Text == "" {
		note = noteOf(a.pictures.Check(ctx, asker(ctx), address), "address")
	}
	note.Address = address
	return note
}

// asker names the person who made the request, for the turns in which pictures
// are looked at.
func asker(ctx context.Context) string {
	v, _ := site.ViewerIn(ctx)
	return strconv.FormatInt(v.User.ID, 10)
}

// judgeUploaded is judge for a picture that was uploaded here, and empty for
// any other.
func (a *App) judgeUploaded(ctx context.Context, address string) createview.PictureNote {
	token := db.PictureToken(address)
	if token == "" {
		return createview.PictureNote{}
	}
	p, err := a.Store.Picture(ctx, token)
	switch {
	case errors.Is(err, db.ErrNotFound) && a.wasHere(address), err == nil && !a.Media.Has(p.Hash):
		return createview.PictureNote{Text: "The uploaded picture is no longer kept here; please upload it again.", Bad: true}
	case err != nil:
		return createview.PictureNote{}
	case !a.UploadsReach():
		return createview.PictureNote{Text: uploadsOff, Bad: true}
	}
	return noteOf(picture.Finding{Info: picture.Info{Type: p.Type, Width: p.Width, Height: p.Height}}, "file")
}

// uploadsOff is why an uploaded picture will not do.
const uploadsOff = "The video service cannot fetch pictures from this Dailies, because it has no address that is open to everybody; please use a link instead, or ask whoever runs Dailies to set -public-url."

// What models are known to want, where they say nothing themselves.
const (
	smallSide = 300 // pixels
	longShape = 3   // times as long as wide
)

// noteOf is the sentence for a finding. What is "address" or "file".
func noteOf(f picture.Finding, what string) createview.PictureNote {
	bad := func(format string, values ...any) createview.PictureNote {
		return createview.PictureNote{Text: fmt.Sprintf(format, values...), Bad: true}
	}
	switch f.Fault {
	case picture.Fine:
		return fineNote(f.Info.Width, f.Info.Height)
	case picture.Slow:
		note := bad("This address is very slow: no picture came within %.0f seconds, so the video service may give up on it too.", picture.Patience.Seconds())
		note.Slow = true
		return note
	case picture.Waited:
		note := bad("There was no time to look at this picture, because many are being looked at.")
		note.Slow = true
		return note
	case picture.Private:
		return bad("This address lies in a private network, where the video service cannot fetch it; please use a link that is open to everybody.")
	case picture.Nowhere:
		note := bad("There is no server with this name; please look for a typing mistake in the address.")
		note.Unknown = true
		return note
	case picture.Answered:
		return bad("%s", answeredWith(f.Status))
	case picture.Other:
		return bad("%s", insteadOfPicture(f.Kind, what))
	case picture.Broken:
		return bad("This picture is damaged or cut off; please use another copy of it.")
	case picture.TooManyBytes:
		return bad("This picture has more than 20 MB; please use a smaller copy of it.")
	case picture.TooManyPixels:
		return bad("This picture has more than 50 megapixels; please use a smaller copy of it.")
	}
	return bad("The server at this address cannot be reached; please look for a typing mistake, or use another link.")
}

// fineNote says what is there, and what may be wrong with it all the same.
func fineNote(width, height int) createview.PictureNote {
	here := fmt.Sprintf("Here it is: %d × %d.", width, height)
	switch long, short := max(width, height), min(width, height); {
	case short < smallSide:
		return createview.PictureNote{Text: here + fmt.Sprintf(" That is small; many models want %d pixels on each side.", smallSide)}
	case long > longShape*short:
		return createview.PictureNote{Text: here + " That is long and narrow; many models refuse such a shape."}
	}
	return createview.PictureNote{Text: here, Good: true}
}

// answeredWith says what an HTTP status means for a picture.
func answeredWith(status int) string {
	switch status {
	case http.StatusNotFound, http.StatusGone:
		return fmt.Sprintf("No picture shows up at this address: its server says that there is nothing there (%d).", status)
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return fmt.Sprintf("This picture is not open to everybody (its server says %d), so the video service cannot fetch it.", status)
	}
	return fmt.Sprintf("The server at this address has trouble at the moment (it says %d); please try again later, or use another link.", status)
}

// insteadOfPicture says what was given in place of a picture.
func insteadOfPicture(kind, what string) string {
	switch {
	case kind == "text/html" && what == "address":
		return "This address leads to a web page, not to a picture; open the picture itself and copy its address."
	case strings.HasPrefix(kind, "video/"):
		return "This is a video, not a picture; please use a still of it."
	}
	names := map[string]string{
		"image/heic": "a HEIC picture", "image/avif": "an AVIF picture", "image/tiff": "a TIFF picture",
		"image/svg+xml": "an SVG drawing", "application/pdf": "a PDF", "text/html": "a web page",
	}
	if name, known := names[kind]; known {
		return "This is " + name + ", which video services do not take; please save it as JPEG or PNG."
	}
	return "This " + what + " holds no picture that can be used; please use JPEG, PNG, WebP, GIF or BMP."
}
