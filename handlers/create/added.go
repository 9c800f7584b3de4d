package create

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"dailies/db"
	createview "dailies/views/create"
)

// Incoming takes the pictures that people's programs add, with the checks and the limits of
// the pages.
type Incoming struct {
	Pictures *Pictures
	Receiver *Receiver
}

// An Added is a picture that can be used.
type Added struct {
	Address       string // to be sent with a video
	Width, Height int    // in pixels; 0 if not known
}

// ErrPicture is the error of a picture that cannot be used; its text says why.
type ErrPicture string

func (e ErrPicture) Error() string { return string(e) }

// ErrUnchecked is the error of a picture that was not looked at, because many others were.
type ErrUnchecked struct {
	Text string
	Wait time.Duration // after which to try again
}

func (e ErrUnchecked) Error() string { return e.Text }

// Begin waits until the person may send a picture. The caller must call end afterwards.
func (i *Incoming) Begin(w http.ResponseWriter, r *http.Request, u db.User) (end func(), err error) {
	i.Receiver.Intake.Patient(w, r)
	return i.Receiver.Intake.StartSending(w, r, u.ID)
}

// Add stores the picture for the person, without its metadata.
func (i *Incoming) Add(r *http.Request, u db.User, name string, from io.Reader) (Added, error) {
	note, err := i.Receiver.keep(r.Context(), u, name, from, largest(r))
	return added(note, err)
}

// Link checks the picture at the address, which is on another site or was added before.
func (i *Incoming) Link(ctx context.Context, u db.User, address string) (Added, error) {
	address = strings.TrimSpace(address)
	if sentence := cmp.Or(AddressSentence(address), noneAt(address)); sentence != "" {
		return Added{}, ErrPicture(sentence)
	}
	settled := []string{address}
	if err := i.Pictures.Settle(ctx, settled); err != nil {
		return Added{}, err
	}
	note := i.Pictures.Judge(ctx, u.ID, settled[0])
	if note.Bad && !i.Pictures.Refuses(note) {
		return Added{Address: settled[0]}, nil
	}
	return added(note, nil)
}

func noneAt(address string) string {
	if address == "" {
		return createview.AddressOdd
	}
	return ""
}

func added(note createview.PictureNote, err error) (Added, error) {
	switch {
	case err != nil:
		return Added{}, err
	case note.Unchecked:
		return Added{}, ErrUnchecked{note.Text, note.Wait}
	case note.Bad && note.Text != "":
		return Added{}, ErrPicture(note.Text)
	}
	return Added{note.Address, note.Width, note.Height}, nil
}
