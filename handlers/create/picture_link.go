package create

import (
	"net/url"
	"regexp"
	"strings"

	"dailies/web/address"
)

// PictureLink returns the address that was typed or pasted as browsers understand it, and leads
// from the page on which a file store shows a picture to the picture itself, which shared
// reports. Anything else than a web address is returned as it is.
func PictureLink(typed string) (link string, shared bool) {
	link, ok := address.Repair(typed)
	if !ok {
		return typed, false
	}
	u, err := url.Parse(link)
	if err != nil {
		return link, false
	}
	switch host := u.Hostname(); {
	case host == "drive.google.com":
		if id := driveFile.FindStringSubmatch(u.Path); id != nil {
			file := url.Values{"export": {"download"}, "id": {id[1]}}
			if key := u.Query().Get("resourcekey"); key != "" {
				file.Set("resourcekey", key)
			}
			return "https://drive.google.com/uc?" + file.Encode(), true
		}
	case host == "dropbox.com", host == "www.dropbox.com":
		parts := strings.Split(u.RawQuery, "&")
		for i, part := range parts {
			if part == "dl=0" {
				parts[i] = "dl=1"
				u.RawQuery = strings.Join(parts, "&")
				return u.String(), true
			}
		}
	}
	return link, false
}

// driveFile matches the path of the page that shows a file on Google Drive.
var driveFile = regexp.MustCompile(`^/file/(?:u/\d+/)?d/([A-Za-z0-9_-]{10,})(?:/(?:view|edit|preview)?)?$`)
