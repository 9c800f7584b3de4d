package create

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/web"
	"dailies/web/videoapi"
)

// Next starts a form for the next scene with a frame of a video.
type Next struct {
	named    *site.Named
	network  *site.Network
	pages    *site.Pages
	receiver *Receiver
	// Refuse draws the video's page again, with the reason why the picture cannot be
	// used.
	Refuse func(w http.ResponseWriter, r *http.Request, why string) error
}

// Begin stores the frame picked from a video like any uploaded picture, and redirects
// to the form for the next scene, which starts with this picture, or to that of a new cast
// member.
func (n *Next) Begin(w http.ResponseWriter, r *http.Request) error {
	t, err := n.named.Task(r)
	if err != nil {
		return err
	}
	if !t.PlayableFor(site.Me(r).ID) {
		return fmt.Errorf("task %d has no next scene: %w", t.ID, db.ErrConflict)
	}
	if !n.network.UploadsReach() {
		return n.Refuse(w, r, createview.UploadsOff)
	}
	values, came, err := n.receiver.Receive(w, r)
	if err != nil {
		return err
	}
	note := createview.BadPicture(createview.FrameMissing)
	for _, one := range came {
		if one.Field == "frame" {
			note = one.Note
		}
	}
	if note.Bad {
		return n.Refuse(w, r, note.Text)
	}
	if slices.Contains(values["to"], "cast") {
		return web.SeeOther(w, r, "/cast/new?"+url.Values{"picture": {note.Address}}.Encode())
	}
	return n.pages.SeeOther(w, r, nextForm(t, note.Address), nextBegun(values.Get("at")))
}

// nextForm returns the URL of the form that starts with the frame. It reuses the
// video's settings, but not its prompt.
func nextForm(t db.Task, frame string) string {
	query := url.Values{"from": {strconv.FormatInt(t.ID, 10)}, "use": {string(db.Continued)}, "image_input": {frame}, "prompt": {""}}
	return "/create/" + string(videoapi.ImageToVideo) + "?" + query.Encode()
}
