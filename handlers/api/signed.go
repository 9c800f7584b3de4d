package api

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/web"
)

// Signed serves videos at addresses that anybody may open who knows them, because the
// service's addresses are like that. Each is for one file, and for 24 hours. It ends
// earlier with the token that got it, and when the owner of that may not play the video
// any more. In a restored database, numbers are given again: an address opens nothing that
// is younger than itself.
type Signed struct {
	programs *people.Programs
	vault    *secrets.Vault
	videos   *Videos
}

// signedFor is how long an address works.
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

// address returns the address of a video's file, for the program with the token.
func (s *Signed) address(r *http.Request, c Caller, m db.Media) string {
	t := ticket{task: m.TaskID, media: m.ID, token: c.Token.ID, until: db.Now().Add(signedFor).Unix()}
	mark := base64.RawURLEncoding.EncodeToString(s.vault.Sign(t.signature()))
	return fmt.Sprintf("%s/api/ai/files/%s.%s%s", s.videos.network.Origin(r), t.text(), mark, m.Ending())
}

// open returns the ticket in an address, unless somebody else has made it or it has ended.
func (s *Signed) open(address string, now time.Time) (t ticket, ok bool) {
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
	return t, err == nil && s.vault.Signed(t.signature(), mark) && now.Unix() < t.until
}

// Show answers with the file, or a part of it.
func (s *Signed) Show(w http.ResponseWriter, r *http.Request) error {
	err := s.show(w, r)
	if err == nil {
		return nil
	}
	if p := problemOf(err); p.Status < http.StatusInternalServerError {
		return p.send(w)
	}
	return err
}

func (s *Signed) show(w http.ResponseWriter, r *http.Request) error {
	m, err := s.find(r)
	if err != nil {
		return err
	}
	file, err := s.videos.stored.Open(r, m)
	if err != nil {
		return err
	}
	defer file.Close()
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("X-Robots-Tag", "noindex")
	return s.videos.stored.Play(w, r, m, file, "")
}

// find returns the file of the address.
func (s *Signed) find(r *http.Request) (db.Media, error) {
	now := db.Now()
	t, ok := s.open(r.PathValue("file"), now)
	if !ok {
		return db.Media{}, web.NotFound()
	}
	token, owner, err := s.programs.FindByID(r.Context(), t.token, now)
	if err != nil {
		return db.Media{}, err
	}
	task, err := s.videos.tasks.Task(r.Context(), t.task)
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
