package part

import (
	"fmt"

	"dailies/db"
	"dailies/web/videoapi"
)

// PictureTypes are the files that can be chosen.
const PictureTypes = "image/jpeg,image/png,image/webp,image/gif,image/bmp"

// PictureSource is where the browser finds the picture: what was uploaded here
// lies on this site, whatever the service calls it.
func PictureSource(address string) string {
	if token := db.PictureToken(address); token != "" {
		return db.Picture{Token: token}.Path()
	}
	return address
}

// ThumbSource is pictureSource for where the picture is shown small. What was
// uploaded here is drawn small here; what lies elsewhere comes as it is.
func ThumbSource(address string) string {
	if token := db.PictureToken(address); token != "" {
		return db.Picture{Token: token}.ThumbPath()
	}
	return address
}

// Pictures lists the addresses of the task's pictures under their names.
func Pictures(t db.Task) []Fact {
	var pictures []Fact
	for i, address := range t.Pictures {
		pictures = append(pictures, Fact{pictureName(t, i), address})
	}
	return pictures
}

// pictureName names a picture of the task by its place.
func pictureName(t db.Task, i int) string {
	switch videoapi.Scene(t.Scene) {
	case videoapi.FramesToVideo:
		return []string{"Start frame", "End frame"}[min(i, 1)]
	case videoapi.ImageToVideo:
		return []string{"Picture", "End picture"}[min(i, 1)]
	}
	return fmt.Sprintf("Picture %d", i+1)
}
