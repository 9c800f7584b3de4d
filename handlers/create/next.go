package create

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web/videoapi"
)

// Next begins the next scene with a frame of a video.
type Next struct {
	*site.Site
	uploads *Uploads
	// Refuse draws the video's page again, with why the picture will not do.
	Refuse func(w http.ResponseWriter, r *http.Request, why string) error
}

// Begin keeps the frame that was picked in a video, as any uploaded picture
// is kept, and leads to the form in which it begins the next scene.
func (n *Next) Begin(w http.ResponseWriter, r *http.Request) error {
	t, err := n.Task(r)
	if err != nil {
		return err
	}
	if !t.PlayableFor(site.Me(r).ID) {
		return fmt.Errorf("task %d has no next scene: %w", t.ID, db.ErrConflict)
	}
	if !n.UploadsReach() {
		return n.Refuse(w, r, uploadsOff)
	}
	n.Intake.Patient(w, r)
	values, came, err := n.uploads.receive(w, r)
	if err != nil {
		return err
	}
	note := createview.PictureNote{Text: "Please choose a picture first.", Bad: true}
	for _, one := range came {
		if one.field == "frame" {
			note = one.note
		}
	}
	if note.Bad {
		return n.Refuse(w, r, note.Text)
	}
	return n.SeeOther(w, r, nextForm(t, note.Address), nextFlash(values.Get("at")))
}

// nextForm returns the address of the form that the frame begins: as the video was
// made, but for what happens in it.
func nextForm(t db.Task, frame string) string {
	query := url.Values{"from": {strconv.FormatInt(t.ID, 10)}, "use": {string(db.Continued)}, "image_input": {frame}, "prompt": {""}}
	return "/create/" + string(videoapi.ImageToVideo) + "?" + query.Encode()
}

// nextFlash says which frame was taken; at is its time in seconds, if there is
// one.
func nextFlash(at string) string {
	if seconds, err := strconv.ParseFloat(at, 64); err == nil && seconds >= 0 && seconds < 24*60*60 {
		return fmt.Sprintf("The frame at %.2f seconds begins the next scene. Now say what happens in it.", seconds)
	}
	return "Your picture begins the next scene. Now say what happens in it."
}
