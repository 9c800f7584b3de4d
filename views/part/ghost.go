package part

import (
	"fmt"

	"dailies/db"
	"dailies/db/naming"
	"dailies/web/videoapi"
)

// A Ghost is a picture that is shown dimmed where a video will be.
type Ghost struct {
	Source string // its URL; empty for none
	Whose  string // what it shows, for the viewer
}

// LastVideo returns the ghost that shows the thumbnail of the viewer's last video.
func LastVideo(thumb db.Media) Ghost { return Ghost{MediaPath(thumb), "Your last video"} }

// ghost returns what is shown behind the progress of the card's video: the picture from
// which it is made or, without one, the card's own ghost.
func (c Card) ghost() Ghost {
	for _, address := range c.Task.Pictures {
		if WebAddress(address) {
			return Ghost{ThumbSource(address), pictureOf(videoapi.Scene(c.Task.Scene))}
		}
	}
	return c.Ghost
}

// pictureOf names the first picture of a video of the scene.
func pictureOf(s videoapi.Scene) string {
	if s == videoapi.ReferenceToVideo {
		return "Your reference"
	}
	return "Your start picture"
}

// quotation returns the prompt in quotation marks, for a video that has no picture yet.
func (c Card) quotation() string {
	const longest = 240
	return fmt.Sprintf("“%s”", naming.Isolated(Clip(c.Task.Prompt, longest)))
}
