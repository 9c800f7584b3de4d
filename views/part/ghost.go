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

// LastVideo returns the ghost that shows the thumbnail, with that ID, of the viewer's last
// video, or nothing if the ID is 0.
func LastVideo(thumb int64) Ghost {
	if thumb == 0 {
		return Ghost{}
	}
	return Ghost{MediaPath(db.Media{ID: thumb}), "Your last video"}
}

// ghost returns what is shown behind the progress of the card's video: the picture from
// which it is made or, without one, the card's own ghost.
func (c Card) ghost() Ghost {
	if picture := c.Picture(); picture != "" {
		return Ghost{picture, pictureOf(videoapi.Scene(c.Task.Scene))}
	}
	return c.Ghost
}

// Picture returns the path of the thumbnail of the first picture from which the video is
// made, or "" if there is none.
func (c Card) Picture() string {
	for _, address := range c.Task.Pictures {
		if WebAddress(address) {
			return ThumbSource(address)
		}
	}
	return ""
}

// pictureOf names the first picture of a video of the scene.
func pictureOf(s videoapi.Scene) string {
	if s == videoapi.ReferenceToVideo {
		return "Your reference"
	}
	return "Your picture"
}

// quotation returns the prompt in quotation marks, for a video that has no picture yet.
func quotation(prompt string) string {
	const longest = 240
	return fmt.Sprintf("“%s”", naming.Isolated(Clip(prompt, longest)))
}
