package create

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"dailies/db/ordering"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/picture"
	"dailies/web/videoapi"
)

// PictureHint says how to fill an empty tile.
func PictureHint(uploads bool) string {
	if uploads {
		return "Drop, paste or choose"
	}
	return "Paste a link"
}

// AddressRules returns the rules of a picture's address.
func AddressRules() input.Rules {
	return input.Rules{
		input.Max(2048, "This link is too long: 2,048 characters at most."), input.Valid("http_url", AddressOdd),
	}
}

// uploadPath returns the path to which the form's pictures are uploaded.
func uploadPath(s videoapi.Scene) string {
	return "/pictures?" + url.Values{"scene": {string(s)}}.Encode()
}

// picsClass returns the CSS class for that many tiles side by side.
func picsClass(tiles int) string {
	switch tiles {
	case 0, 1:
		return "one"
	case 2:
		return "two"
	}
	return "three"
}

// filled reports whether the field's tile shows a picture instead of the field for a
// link.
func (f CreateForm) filled(field, address string) bool {
	return f.preview(address) != "" && f.Errors[field] == ""
}

// preview returns the path of the picture's thumbnail; empty if there is none.
func (f CreateForm) preview(address string) string {
	if p, ok := f.Cast.picture(address); ok {
		address = p.Address
	}
	if !part.WebAddress(address) {
		return ""
	}
	return part.ThumbSource(address)
}

// pictureName returns the name of the picture at the URL, for its tile.
func (f CreateForm) pictureName(address string) string {
	if p, ok := f.Cast.picture(address); ok {
		return p.Name
	}
	if name := f.Seen[address].Name; name != "" || address == "" {
		return name
	}
	return EarlierPicture{Address: address}.label()
}

// otherName returns the second field name under which the service accepts the field's
// picture, empty if there is none.
func (f CreateForm) otherName(name, field string) string {
	switch {
	case name != "image_input" || f.Blanks:
		return ""
	case field == input.OfPicture(0):
		return "image_url"
	case f.Scene == videoapi.FramesToVideo && field == input.OfPicture(1):
		return "end_image_url"
	}
	return ""
}

// An EarlierPicture was used before and can be used again.
type EarlierPicture struct {
	Address string
	Name    string // name of the file; empty for a picture on another site
}

// label returns the picture's name: that of its file, or the end of its URL.
func (p EarlierPicture) label() string {
	if p.Name != "" {
		return p.Name
	}
	u, err := url.Parse(p.Address)
	if err != nil || ordering.PictureToken(p.Address) != "" {
		return "an earlier picture"
	}
	if name := path.Base(u.Path); name != "." && name != "/" {
		return fmt.Sprintf("%s from %s", name, u.Host)
	}
	return fmt.Sprintf("the picture from %s", strings.TrimPrefix(u.Host, "www."))
}

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
		text := fmt.Sprintf(
			"No picture within %.0f seconds. The video service may give up, too.", cmp.Or(f.Within, picture.Timeout).Seconds(),
		)
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

// Uploads holds one page of the list of uploaded pictures.
type Uploads struct {
	Uploads []Upload
	All     bool // everybody's pictures, which only admins can list
	Page    int  // starts at 1
	More    bool // there is another page

	Count     int   // of the viewer's own pictures
	Used, Max int64 // bytes of the viewer's own pictures, and their limit

	Left     int   // pictures of people who have left, if all are listed
	LeftUsed int64 // their bytes
}

// left says how many pictures count for the team.
func (u Uploads) left() string {
	return part.Plural(
		u.Left, "%s picture of people who left, %s, counts for the team.",
		"%s pictures of people who left, %s, count for the team.", part.Bytes(u.LeftUsed),
	)
}

// An Upload is one uploaded picture. Other users' pictures are listed but not
// displayed.
type Upload struct {
	Picture ordering.Picture
	Maker   string
	Mine    bool
}

func (u Uploads) path(page int) string {
	query := url.Values{}
	if u.All {
		query.Set("who", "all")
	}
	if page > 1 {
		query.Set("page", strconv.Itoa(page))
	}
	if len(query) == 0 {
		return "/pictures"
	}
	return "/pictures?" + query.Encode()
}

// name returns the name of the uploaded file.
func (u Upload) name() string {
	if u.Picture.Name == "" {
		return "a picture without a name"
	}
	return u.Picture.Name
}

// facts returns the size of the picture and, of another user's, the name of that user.
func (u Upload) facts() string {
	size := fmt.Sprintf("%d × %d, %s", u.Picture.Width, u.Picture.Height, part.Bytes(u.Picture.Size))
	if u.Mine {
		return size
	}
	return fmt.Sprintf("%s, %s", size, u.Maker)
}

func (u Upload) deletePath() string {
	return "/pictures/" + strconv.FormatInt(u.Picture.ID, 10) + "/delete"
}
