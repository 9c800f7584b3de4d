package api

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/web"
)

// signedFor is how long the signed address of a file works.
const signedFor = 24 * time.Hour

// A ticket names the file that a signed address opens, the token that asked for it, and when
// the address ends.
type ticket struct {
	task, media, token int64
	until              int64 // in seconds since 1970
}

// isOlderThan reports whether the address was made before the time, to the second.
func (t ticket) isOlderThan(at time.Time) bool {
	return t.until-int64(signedFor/time.Second) < at.Unix()
}

// text returns the ticket as it stands in an address.
func (t ticket) text() string {
	return fmt.Sprintf("%d.%d.%d.%d", t.task, t.media, t.token, t.until)
}

// signature returns the text that is signed.
func (t ticket) signature() string { return fmt.Sprintf("file %s", t.text()) }

// signedAddress returns the address of a video's file, for the program with the token.
func (a *API) signedAddress(r *http.Request, m db.Media) string {
	t := ticket{task: m.TaskID, media: m.ID, token: caller(r).Token.ID, until: db.Now().Add(signedFor).Unix()}
	mark := base64.RawURLEncoding.EncodeToString(a.vault.Sign(t.signature()))
	return fmt.Sprintf("%s/api/ai/files/%s.%s%s", a.network.Origin(r), t.text(), mark, m.Ending())
}

// readTicket returns the ticket in an address, unless somebody else has made it or it has ended.
func (a *API) readTicket(address string, now time.Time) (t ticket, ok bool) {
	parts := strings.Split(address, ".")
	if len(parts) != 6 { // four numbers, the signature and the extension
		return t, false
	}
	for i, number := range []*int64{&t.task, &t.media, &t.token, &t.until} {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			return t, false
		}
		*number = n
	}
	mark, err := base64.RawURLEncoding.Strict().DecodeString(parts[4])
	return t, err == nil && a.vault.Signed(t.signature(), mark) && now.Unix() < t.until
}

// SendSigned answers with the file at a signed address, or a part of it. Anybody may open the
// address who knows it, because the service's addresses are like that. It is for one file, and
// ends earlier with the token that got it, and when the owner of that may not play the video
// any more. In a restored database, numbers are given again: an address opens nothing that
// is younger than itself.
func (a *API) SendSigned(w http.ResponseWriter, r *http.Request) error {
	err := a.sendSigned(w, r)
	if err == nil {
		return nil
	}
	if p := problemOf(err); p.Status < http.StatusInternalServerError {
		return p.send(w)
	}
	return err
}

func (a *API) sendSigned(w http.ResponseWriter, r *http.Request) error {
	m, err := a.findSigned(r)
	if err != nil {
		return err
	}
	file, err := a.files.Open(r, m)
	if err != nil {
		return err
	}
	defer file.Close()
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("X-Robots-Tag", "noindex")
	return a.files.Play(w, r, m, file, "")
}

// findSigned returns the file of the address.
func (a *API) findSigned(r *http.Request) (db.Media, error) {
	now := db.Now()
	t, ok := a.readTicket(r.PathValue("file"), now)
	if !ok {
		return db.Media{}, web.NotFound()
	}
	token, owner, err := a.programs.FindByID(r.Context(), t.token, now)
	if err != nil {
		return db.Media{}, err
	}
	task, err := a.tasks.Task(r.Context(), t.task)
	if err != nil {
		return db.Media{}, err
	}
	if t.isOlderThan(token.CreatedAt) || t.isOlderThan(task.CreatedAt) {
		return db.Media{}, web.NotFound()
	}
	for _, m := range task.Media {
		if m.ID == t.media && m.Kind == db.Video && m.LostAt.IsZero() && task.PlayableFor(owner.ID) {
			return m, nil
		}
	}
	return db.Media{}, web.NotFound()
}
