package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"dailies/web"
	"dailies/web/turn"
)

// Limits of simultaneous uploads. Files are received into the data folder; only a
// picture that is being inspected is in memory.
const (
	maxSenders  = 64 // requests whose files are being received
	eachSends   = 3  // of these, requests of one user
	eachWaits   = 16 // requests of one user that wait to be received
	sendersWait = 2 * time.Minute

	maxJudged  = 4 // pictures in memory
	EachJudged = 2 // of these, pictures of one user
)

// uploadPace lets a slow phone upload 20 MB, but lets nobody block a slot for long.
var uploadPace = web.Pace{Grace: 20 * time.Second, Rate: 2 << 10, Most: 5 * time.Minute}

// Patient replaces the usual deadlines of the request with those of uploadPace.
func (i *UploadLimits) Patient(w http.ResponseWriter, r *http.Request) {
	if err := uploadPace.Hold(w, r); err != nil {
		i.log.Debug("no deadline to move", "err", err)
	}
}

// PersonKey returns the key under which a turn.Semaphore counts a user, who can take at
// most most places.
func PersonKey(userID int64, most int) turn.Key {
	return turn.Key{Name: fmt.Sprintf("person %s", strconv.FormatInt(userID, 10)), Max: most}
}

// StartSending waits until the user may upload a file. The caller must call end
// afterwards. While other places are free, a user's uploads wait only for each other.
func (i *UploadLimits) StartSending(w http.ResponseWriter, r *http.Request, userID int64) (end func(), err error) {
	key := PersonKey(userID, eachSends)
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

func tooManySent(w http.ResponseWriter) error {
	w.Header().Set("Connection", "close") // otherwise the server would read the whole body first
	return &web.Error{Status: http.StatusTooManyRequests, Message: uploadsInLine}
}

// CutOff returns the error page for an upload that did not arrive completely.
func CutOff(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &web.Error{Status: http.StatusRequestTimeout, Message: uploadTooSlow, Err: err}
	}
	return &web.Error{Status: http.StatusBadRequest, Message: uploadBroken, Err: err}
}
