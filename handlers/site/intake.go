package site

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"time"

	"dailies/web"
	"dailies/web/turn"
)

// Bounds of what is received at one time. Files are received into the data
// folder; only a picture that is judged is in memory.
const (
	maxSenders  = 64 // requests whose files are being received
	eachSends   = 3  // of them, those of one person
	eachWaits   = 16 // requests of one person that wait for that
	sendersWait = 2 * time.Minute

	maxJudged  = 4 // pictures that are in memory
	EachJudged = 2 // of them, those of one person
)

// uploadPace lets a slow phone send 20 MB, and nobody hold a place for long.
var uploadPace = web.Pace{Grace: 20 * time.Second, Rate: 2 << 10, Most: 5 * time.Minute}

// Patient replaces the deadlines of pages by the pace of uploads.
func (i *Intake) Patient(w http.ResponseWriter, r *http.Request) {
	if err := uploadPace.Hold(w, r); err != nil {
		i.site.Log.Debug("no deadline to move", "err", err)
	}
}

// PersonKey returns the key under which a turn.Line counts a person, with at
// most most places.
func PersonKey(userID int64, most int) turn.Key {
	return turn.Key{Name: "person " + strconv.FormatInt(userID, 10), Max: most}
}

// StartSending waits until the person may send a file. The caller must call
// end afterwards. A person's uploads wait only for each other while there are
// free places.
func (i *Intake) StartSending(w http.ResponseWriter, r *http.Request) (end func(), err error) {
	key := PersonKey(Me(r).ID, eachSends)
	if i.senders.Waiting(key) >= eachWaits {
		return nil, tooManySent(w)
	}
	waiting, cancel := context.WithTimeout(r.Context(), sendersWait)
	defer cancel()
	end, err = i.senders.Take(waiting, key)
	if err != nil && r.Context().Err() == nil {
		return nil, tooManySent(w)
	}
	return end, err
}

// uploadsInLine answers somebody who has too many uploads waiting.
const uploadsInLine = "You are uploading many pictures already. Please wait until they are here, then try again."

func tooManySent(w http.ResponseWriter) error {
	w.Header().Set("Connection", "close") // else the whole body is awaited before the answer
	return &web.Error{Status: http.StatusTooManyRequests, Message: uploadsInLine}
}

// CutOff returns the answer to an upload that did not arrive whole.
func CutOff(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &web.Error{Status: http.StatusRequestTimeout, Message: "The upload was too slow, so it was stopped. Please go back and try again.", Err: err}
	}
	return &web.Error{Status: http.StatusBadRequest, Message: "The upload broke off. Please go back and try again.", Err: err}
}
