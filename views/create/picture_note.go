package create

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"dailies/web/picture"
)

// A PictureNote says what was found at a picture's URL.
type PictureNote struct {
	Text          string // a sentence about what is wrong; empty if nothing is
	Hint          string // what Text says, for a list that names the address; empty unless Slow
	Thumb         string // the path of its thumbnail, if that does not follow from Address
	Address       string // the URL from which the service fetches it
	Name          string // name of the file; empty if it is not known
	Facts         string // its size in pixels and bytes, as far as they are known
	Width, Height int    // in pixels; 0 if not known
	Good          bool
	Bad           bool // it cannot be used
	Slow          bool // it did not load in time, and is used only if the user insists
	// Unchecked says that it was not looked at yet, because many others were. It can be after
	// Wait.
	Unchecked bool
	Wait      time.Duration
	Unknown   bool // this server cannot judge it; the service may be able to fetch it all the same
}

// BadPicture returns the note about a picture that cannot be used, and why.
func BadPicture(why string) PictureNote { return PictureNote{Text: why, Bad: true} }

// PictureGone returns the note about a picture that is not kept here any more.
func PictureGone() PictureNote { return BadPicture("This picture is gone. Add it again.") }

// ratio returns the width divided by the height, empty if they are not known.
func (n PictureNote) ratio() string {
	if n.Width <= 0 || n.Height <= 0 {
		return ""
	}
	return strconv.FormatFloat(float64(n.Width)/float64(n.Height), 'f', 4, 64)
}

// Insist says what is wrong with a picture that is only slow, and how to use it anyway.
func (n PictureNote) Insist() string {
	return fmt.Sprintf("%s Press again to use it anyway.", n.Text)
}

// Again says why the picture was not looked at, and when to press again.
func (n PictureNote) Again() string {
	if n.Seconds() == 1 {
		return fmt.Sprintf("%s Press again in a second.", n.Text)
	}
	return fmt.Sprintf("%s Press again in %d seconds.", n.Text, n.Seconds())
}

// Seconds returns Wait in whole seconds, at least one.
func (n PictureNote) Seconds() int { return max(1, int((n.Wait+time.Second-1)/time.Second)) }

// InRow says what is wrong with a picture that is only slow, in a row of a table.
func (n PictureNote) InRow() string { return fmt.Sprintf("%s: %s", n.Hint, n.Address) }

// The usual limits of models, for those that do not state theirs.
const (
	smallSide = 300 // pixels
	longShape = 3   // times as long as wide
)

// NoteOf returns the note for what was found at a link or, unless linked is set, in a file.
func NoteOf(f picture.Finding, linked bool) PictureNote {
	unchecked := func(text string) PictureNote {
		return PictureNote{Text: text, Bad: true, Unchecked: true, Wait: f.Wait}
	}
	switch f.Fault {
	case picture.Fine:
		return fineNote(f.Info.Width, f.Info.Height)
	case picture.Slow:
		text := fmt.Sprintf("No picture within %.0f seconds. The video service may give up, too.", cmp.Or(f.Within, picture.Timeout).Seconds())
		return PictureNote{Text: text, Hint: "Very slow", Bad: true, Slow: true}
	case picture.Waited:
		return unchecked("Not checked yet: many pictures are being checked right now.")
	case picture.Skipped:
		return unchecked("Not checked yet: many pictures from its server just were.")
	case picture.Private:
		return BadPicture("This link only works inside your network. Upload the picture.")
	case picture.Nowhere:
		note := BadPicture("No server has this name. Check the link for a typing mistake.")
		note.Unknown = true
		return note
	case picture.Answered:
		return BadPicture(answeredWith(f.Status))
	case picture.Other:
		return BadPicture(insteadOfPicture(f.Kind, linked))
	case picture.Broken:
		return BadPicture("Damaged file. Try another copy.")
	case picture.TooManyBytes:
		return BadPicture("Over 20 MB. Use a smaller copy.")
	case picture.TooManyPixels:
		return BadPicture("Over 50 megapixels. Use a smaller copy.")
	}
	return BadPicture("This link’s server isn’t answering. Check the link, or use another.")
}

// fineNote returns the note for a valid picture, with its dimensions and a warning if
// models may refuse them.
func fineNote(width, height int) PictureNote {
	note := PictureNote{Facts: fmt.Sprintf("%d × %d", width, height), Width: width, Height: height}
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
func insteadOfPicture(kind string, linked bool) string {
	switch {
	case kind == "text/html" && linked:
		return "That’s a web page. Copy the picture’s own link."
	case strings.HasPrefix(kind, "video/"):
		return "That’s a video. Save one of its frames as a picture."
	case said[kind] != "":
		return said[kind]
	case linked:
		return "We can’t use this link. Choose a JPEG, PNG, WebP, GIF or BMP."
	}
	return "We can’t use this file. Choose a JPEG, PNG, WebP, GIF or BMP."
}

// said has the sentences about files of kinds that people take for pictures.
var said = map[string]string{
	"image/heic":      "This is a HEIC picture. Save it as JPEG or PNG.",
	"image/avif":      "This is an AVIF picture. Save it as JPEG or PNG.",
	"image/tiff":      "This is a TIFF picture. Save it as JPEG or PNG.",
	"image/svg+xml":   "This is an SVG drawing. Save it as JPEG or PNG.",
	"application/pdf": "This is a PDF. Save it as JPEG or PNG.",
	"text/html":       "This is a web page. Save it as JPEG or PNG.",
}
