package views

import (
	"fmt"

	"dailies/db"
	"dailies/web/videoapi"
)

// pictureTypes are the files that can be chosen.
const pictureTypes = "image/jpeg,image/png,image/webp,image/gif,image/bmp"

// pictureSource is where the browser finds the picture: what was uploaded here
// lies on this site, whatever the service calls it.
func pictureSource(address string) string {
	if token := db.PictureToken(address); token != "" {
		return db.Picture{Token: token}.Path()
	}
	return address
}

// thumbSource is pictureSource for where the picture is shown small. What was
// uploaded here is drawn small here; what lies elsewhere comes as it is.
func thumbSource(address string) string {
	if token := db.PictureToken(address); token != "" {
		return db.Picture{Token: token}.ThumbPath()
	}
	return address
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
