package part

import (
	"fmt"
	"net/url"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/web/videoapi"
)

// PictureTypes lists the file types that can be uploaded, for the accept attribute.
const PictureTypes = "image/jpeg,image/png,image/webp,image/gif,image/bmp"

// PictureSource returns the URL at which people can open the picture. An uploaded
// picture is on this site, whatever URL the service uses for it.
func PictureSource(address string) string {
	if token := ordering.PictureToken(address); token != "" {
		return ordering.Picture{Token: token}.Path()
	}
	return address
}

// ThumbSource returns the path of the picture's thumbnail. Browsers never load a picture
// from another site, which would see who looks at it: the server has a copy.
func ThumbSource(address string) string {
	if token := ordering.PictureToken(address); token != "" {
		return ordering.Picture{Token: token}.ThumbPath()
	}
	return linkedPath + "?" + url.Values{"address": {address}}.Encode()
}

// linkedPath is the path of the copies of pictures on other sites.
const linkedPath = "/pictures/linked"

// Linked returns the address of the picture whose copy is at the URL, and other URLs as
// they are. People copy the addresses of the pictures that they see.
func Linked(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path != linkedPath || !WebAddress(u.Query().Get("address")) {
		return address
	}
	return u.Query().Get("address")
}

// Pictures lists the URLs of the task's pictures with their names.
func Pictures(t db.Task) []Fact {
	var pictures []Fact
	for i, address := range t.Pictures {
		pictures = append(pictures, Fact{PictureName(videoapi.Scene(t.Scene), i), address})
	}
	return pictures
}

// PictureName returns the name of the scene's picture with the index.
func PictureName(s videoapi.Scene, i int) string {
	switch s {
	case videoapi.FramesToVideo:
		return []string{"Start", "End"}[min(i, 1)]
	case videoapi.ImageToVideo:
		return []string{"Start", "End"}[min(i, 1)]
	}
	return fmt.Sprintf("Picture %d", i+1)
}
