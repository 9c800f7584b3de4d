package create

import (
	"net/url"
	"path"
	"strings"

	"dailies/db"
	"dailies/web/videoapi"
)

// A PictureNote says in one sentence what was found at a picture's address.
type PictureNote struct {
	Text    string
	Address string // as the service fetches it
	Good    bool
	Bad     bool // it will not do
	Slow    bool // it may do, if the person wants it to
	Unknown bool // another one than this server may know better
}

// PictureHint says what to give as a picture.
func PictureHint(uploads bool) string {
	if uploads {
		return "Paste the web address of a picture, or upload one."
	}
	return "Paste the web address of a picture."
}

// dropHint is PictureHint for browsers with JavaScript.
func dropHint(uploads bool) string {
	if uploads {
		return "Paste an address or a picture, drop one here, or choose a file."
	}
	return PictureHint(uploads)
}

// uploadPath returns the address to which the form's pictures are uploaded.
func uploadPath(s videoapi.Scene) string {
	return "/pictures?" + url.Values{"scene": {string(s)}}.Encode()
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
