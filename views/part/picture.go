package part

import (
	"fmt"

	"dailies/db"
	"dailies/web/videoapi"
)

// PictureTypes lists the file types that can be uploaded, for the accept attribute.
const PictureTypes = "image/jpeg,image/png,image/webp,image/gif,image/bmp"

// PictureSource returns the URL from which the browser loads the picture. An uploaded
// picture is on this site, whatever URL the service uses for it.
func PictureSource(address string) string {
	if token := db.PictureToken(address); token != "" {
		return db.Picture{Token: token}.Path()
	}
	return address
}

// ThumbSource is like PictureSource for small pictures: it returns the thumbnail of an
// uploaded picture, and the URL itself of any other.
func ThumbSource(address string) string {
	if token := db.PictureToken(address); token != "" {
		return db.Picture{Token: token}.ThumbPath()
	}
	return address
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
		return []string{"Start frame", "End frame"}[min(i, 1)]
	case videoapi.ImageToVideo:
		return []string{"Picture", "End picture"}[min(i, 1)]
	}
	return fmt.Sprintf("Picture %d", i+1)
}
