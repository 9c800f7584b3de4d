package create

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"dailies/db/ordering"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// PictureHint says how to fill an empty tile.
func PictureHint(uploads bool) string {
	if uploads {
		return "Drop, paste or choose"
	}
	return "Paste a link"
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
