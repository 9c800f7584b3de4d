package site

import (
	"net/http"

	"dailies/views/part"
	"dailies/web"
)

// Flashes keeps what a request leaves for the next page in cookies: a message, the
// selected videos, and those for which a change can be undone.
type Flashes struct{ cookies *web.Cookies }

// Say leaves a message.
func (f *Flashes) Say(w http.ResponseWriter, r *http.Request, message string) error {
	const longest = 600 // fits into a cookie in any script
	return f.cookies.SetFlash(w, r, "flash", Clip(message, longest))
}

// fill moves what earlier requests have left for the page into its frame.
func (f *Flashes) fill(w http.ResponseWriter, r *http.Request, frame *part.Frame) (err error) {
	if frame.Flash, err = f.cookies.TakeFlash(w, r, "flash"); err != nil {
		return err
	}
	if frame.Sent, err = f.cookies.TakeFlash(w, r, "sent"); err != nil {
		return err
	}
	frame.Undo, err = f.takeUndo(w, r)
	return err
}
