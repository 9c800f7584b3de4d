package create

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A PictureNote says what was found at a picture's address.
type PictureNote struct {
	Text          string // one sentence about what is wrong; empty where nothing is
	Address       string // as the service fetches it
	Name          string // of the file; empty where it is not known
	Facts         string // its size in pixels and bytes, as far as they are known
	Width, Height int    // pixels; 0 where they are not known
	Good          bool
	Bad           bool // it will not do
	Slow          bool // it may do, if the person wants it to
	Unknown       bool // another one than this server may know better
}

// ratio returns the width divided by the height; empty where they are not known.
func (n PictureNote) ratio() string {
	if n.Width <= 0 || n.Height <= 0 {
		return ""
	}
	return strconv.FormatFloat(float64(n.Width)/float64(n.Height), 'f', 4, 64)
}

// PictureHint says how an empty tile is filled.
func PictureHint(uploads bool) string {
	if uploads {
		return "Drop, paste or choose"
	}
	return "Paste a link"
}

// uploadPath returns the address to which the form's pictures are uploaded.
func uploadPath(s videoapi.Scene) string {
	return "/pictures?" + url.Values{"scene": {string(s)}}.Encode()
}

// picsClass returns the class of so many tiles side by side.
func picsClass(tiles int) string {
	switch tiles {
	case 0, 1:
		return "one"
	case 2:
		return "two"
	}
	return "three"
}

// filled reports whether the tile of the field shows a picture, and not the
// field for its link.
func (f CreateForm) filled(field, address string) bool {
	return part.WebAddress(address) && f.Errors[field] == ""
}

// pictureName names the picture at the address for its tile.
func (f CreateForm) pictureName(address string) string {
	if name := f.Seen[address].Name; name != "" || address == "" {
		return name
	}
	return EarlierPicture{Address: address}.label()
}

// otherName returns the other name under which the service takes the picture of
// the field; empty where it has none.
func (f CreateForm) otherName(name, field string) string {
	switch {
	case name != "image_input" || f.Blanks:
		return ""
	case field == part.PictureErrorField(0):
		return "image_url"
	case f.Scene == videoapi.FramesToVideo && field == part.PictureErrorField(1):
		return "end_image_url"
	}
	return ""
}

// An EarlierPicture was used before and can be used again.
type EarlierPicture struct {
	Address string
	Name    string // of the file; empty for an address from elsewhere
}

// label names the picture: its file, or the end of its address.
func (p EarlierPicture) label() string {
	if p.Name != "" {
		return p.Name
	}
	u, err := url.Parse(p.Address)
	if err != nil || db.PictureToken(p.Address) != "" {
		return "a picture from before"
	}
	if name := path.Base(u.Path); name != "." && name != "/" {
		return name + " from " + u.Host
	}
	return "the picture from " + strings.TrimPrefix(u.Host, "www.")
}
