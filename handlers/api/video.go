package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/program"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	"dailies/views/input"
	"dailies/views/record"
)

// video returns the task as programs see it.
func (a *API) video(r *http.Request, t db.Task) record.Video {
	return record.VideoOf(a.network.Origin(r), t)
}

// amount returns the credits as JSON has them.
func amount(c db.Credits) *float64 { return record.Amount(c) }

// encode returns the answer to a request that made videos: one video, or a list.
func (a *API) encode(r *http.Request, tasks []db.Task) ([]byte, error) {
	if len(tasks) == 1 {
		return json.Marshal(a.video(r, tasks[0]))
	}
	list := struct {
		Videos []record.Video `json:"videos"`
	}{}
	for _, t := range tasks {
		list.Videos = append(list.Videos, a.video(r, t))
	}
	return json.Marshal(list)
}

// stamp formats a time.
func stamp(t time.Time) string { return record.Time(t) }

// Bounds of a list.
const (
	usualLimit = 24
	mostLimit  = 100
)

// ListVideos answers with the videos that the gallery's filters select, the newest first.
func (a *API) ListVideos(w http.ResponseWriter, r *http.Request) error {
	c := caller(r)
	zone, err := a.settings.TimeZone(r.Context())
	if err != nil {
		return err
	}
	q := r.URL.Query()
	limit := usualLimit
	if q.Has("limit") {
		rule := input.Valid(fmt.Sprintf("required,between=1 %d", mostLimit), oddLimit)
		if err := check("limit", q.Get("limit"), rule); err != nil {
			return err
		}
		limit, _ = strconv.Atoi(q.Get("limit")) // is a number by its rule
	}
	if name := wall.UnknownValue(q, c.User.ID); name != "" {
		return wrong(name, oddFilter)
	}
	cursor := q.Get("cursor")
	for _, name := range []string{"cursor", "limit"} {
		q.Del(name)
	}
	f := wall.ReadFilter(q, c.User.ID, db.Now().In(zone))
	if f.Limit = limit + 1; cursor != "" {
		before, ok := openCursor(cursor, q)
		if !ok {
			return &Problem{Status: http.StatusUnprocessableEntity, Code: Cursor, Field: "cursor", Detail: oddCursor}
		}
		f.Before = before
	}
	tasks, err := a.search.Tasks(r.Context(), f)
	if err != nil {
		return err
	}
	if len(tasks) > limit {
		tasks = tasks[:limit]
		next := url.Values{}
		for name, values := range q {
			next[name] = values
		}
		next.Set("limit", strconv.Itoa(limit))
		next.Set("cursor", newCursor(tasks[limit-1].ID, q))
		w.Header().Set("Link", fmt.Sprintf(`<%s/api/v1/videos?%s>; rel="next"`, a.network.Origin(r), next.Encode()))
	}
	list := struct {
		Videos []record.Video `json:"videos"`
	}{[]record.Video{}}
	for _, t := range tasks {
		list.Videos = append(list.Videos, a.video(r, t))
	}
	return sendJSON(w, http.StatusOK, list)
}

// newCursor returns the place after the video in the list with these filters.
func newCursor(after int64, filters url.Values) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%s", after, filtersMark(filters)))
}

// openCursor returns the video after which the list goes on. It is not ok if the cursor
// belongs to other filters, or is no text that newCursor makes: base64 can be spelt in
// several ways.
func openCursor(cursor string, filters url.Values) (after int64, ok bool) {
	text, _ := base64.RawURLEncoding.DecodeString(cursor)
	id, _, _ := strings.Cut(string(text), ".")
	after = site.ParseID(id)
	return after, after > 0 && cursor == newCursor(after, filters)
}

// filtersMark tells filters apart.
func filtersMark(filters url.Values) string {
	sum := sha256.Sum256([]byte(filters.Encode()))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// findVideo returns the task that the request names, if lists show it to the person.
func (a *API) findVideo(r *http.Request) (db.Task, error) {
	t, err := a.tasks.Task(r.Context(), site.ParseID(r.PathValue("id")))
	if err == nil && !t.ListedFor(caller(r).User.ID) {
		err = gone()
	}
	return t, err
}

// SendFile answers with the video's file, or a part of it.
func (a *API) SendFile(w http.ResponseWriter, r *http.Request) error {
	t, err := a.findVideo(r)
	if err != nil {
		return err
	}
	m, here := t.Video()
	if !here || !t.Ready() {
		return &Problem{Status: http.StatusNotFound, Code: NotFound, Detail: notYetKept}
	}
	file, err := a.files.Open(r, m)
	if err != nil {
		return err
	}
	defer file.Close()
	w.Header().Set("Cache-Control", "private, no-cache")
	return a.files.Play(w, r, m, file, "")
}

// Bounds of waiting.
const (
	mostWait    = 25 * time.Second
	mostWaiting = 5 // requests of a token
	lookEvery   = 250 * time.Millisecond
)

// ShowVideo answers with the video. With the parameter wait, a number of seconds, it waits
// that long for another state, unless the video has ended.
func (a *API) ShowVideo(w http.ResponseWriter, r *http.Request) error {
	c := caller(r)
	t, err := a.findVideo(r)
	if err != nil {
		return err
	}
	if text := r.URL.Query().Get("wait"); text != "" {
		if err := check("wait", text, input.Valid(fmt.Sprintf("between=0 %d", mostWait/time.Second), oddWait)); err != nil {
			return err
		}
		seconds, _ := strconv.Atoi(text) // is a number by its rule
		if hasEnded(t) {
			return sendJSON(w, http.StatusOK, a.video(r, t))
		}
		if !a.waits.enter(c.Token.ID) {
			return &Problem{Status: http.StatusTooManyRequests, Code: TooMany, Detail: tooManyWait, Wait: 1}
		}
		defer a.waits.leave(c.Token.ID)
		if t, err = a.await(r, t, time.Duration(seconds)*time.Second); err != nil {
			return err
		}
	}
	return sendJSON(w, http.StatusOK, a.video(r, t))
}

// hasEnded reports whether nothing more becomes of the video by itself: it has failed, or its
// file is here, or cannot come any more.
func hasEnded(t db.Task) bool { return !t.State.Running() && t.Keeping != db.Saving }

// await returns the task when its state differs, when its file is there, or after the
// time.
func (a *API) await(r *http.Request, t db.Task, most time.Duration) (db.Task, error) {
	ctx, stop := context.WithTimeout(r.Context(), most)
	defer stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for before := t; t.State == before.State && t.Playable() == before.Playable(); {
		select {
		case <-ctx.Done():
			return t, r.Context().Err()
		case <-a.stopping:
			return t, nil
		case <-tick.C:
		}
		now, err := a.findVideo(r)
		if err != nil {
			return now, err
		}
		t = now
	}
	return t, nil
}

// waits counts the requests of each token that wait.
type waits struct {
	mu  sync.Mutex
	now map[int64]int
}

func (w *waits) enter(token int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now[token] >= mostWaiting {
		return false
	}
	w.now[token]++
	return true
}

func (w *waits) leave(token int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now[token]--; w.now[token] == 0 {
		delete(w.now, token)
	}
}

// A change is the body of PATCH. Fields that are absent stay as they are.
type change struct {
	Title   *string   `json:"title"`
	Star    *bool     `json:"star"`
	Tags    *[]string `json:"tags"`
	Private *bool     `json:"private"`
}

// SaveVideo changes the title, the star and the tags of one's own videos or, with a token that
// may change things, of all that the person may see, and who sees one's own.
func (a *API) SaveVideo(w http.ResponseWriter, r *http.Request) error {
	c := caller(r)
	t, err := a.findVideo(r)
	if err != nil {
		return err
	}
	var to change
	if _, err := readBody(w, r, &to); err != nil {
		return err
	}
	if err := to.check(t, c); err != nil {
		return err
	}
	if err := a.apply(r.Context(), t, to, c.User); err != nil {
		return err
	}
	if t, err = a.findVideo(r); err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, a.video(r, t))
}

// check reports what the token may not change, and values that do not do.
func (to change) check(t db.Task, c Caller) error {
	own, changes := t.UserID == c.User.ID, c.May.Includes(program.Change)
	switch {
	case !own && !changes, to.Private != nil && !changes:
		return &Problem{Status: http.StatusForbidden, Code: Forbidden, Detail: lookOnly}
	case to.Private != nil && !own:
		return &Problem{Status: http.StatusForbidden, Code: Forbidden, Field: "private", Detail: notOwn}
	case to.Title != nil:
		return check("title", *to.Title, titleRule)
	}
	return nil
}

// apply makes the change for the person.
func (a *API) apply(ctx context.Context, t db.Task, to change, as db.User) error {
	ids := []int64{t.ID}
	if to.Tags != nil {
		names := gallery.TagNames(strings.Join(*to.Tags, "\n"))
		if len(names) != len(*to.Tags) || slices.ContainsFunc(*to.Tags, gallery.IsCut) {
			return wrong("tags", oddTags)
		}
		if _, err := a.tags.TagTasks(ctx, as, ids, names, without(t.Tags, names), db.Now()); errors.Is(err, db.ErrConflict) {
			return wrong("tags", oddTags)
		} else if err != nil {
			return err
		}
	}
	if to.Title != nil {
		if err := a.tasks.TitleTask(ctx, as, t.ID, *to.Title); err != nil {
			return err
		}
	}
	if to.Star != nil {
		if _, err := a.tasks.StarTasks(ctx, as, ids, *to.Star); err != nil {
			return err
		}
	}
	if to.Private != nil {
		if _, err := a.tasks.PrivateTasks(ctx, as, ids, *to.Private); err != nil {
			return err
		}
	}
	return nil
}

// without returns the names that are not among the others.
func without(names, others []string) (rest []string) {
	kept := map[string]bool{}
	for _, name := range others {
		kept[gallery.TagKey(name)] = true
	}
	for _, name := range names {
		if !kept[gallery.TagKey(name)] {
			rest = append(rest, name)
		}
	}
	return rest
}

// DeleteVideo puts the video into the bin.
func (a *API) DeleteVideo(w http.ResponseWriter, r *http.Request) error {
	c := caller(r)
	t, err := a.findVideo(r)
	if err != nil {
		return err
	}
	deleted, err := a.bin.DeleteTasks(r.Context(), c.User, []int64{t.ID}, db.Now())
	if err != nil {
		return err
	}
	if len(deleted) == 0 {
		if t, err = a.findVideo(r); err != nil { // somebody else was faster
			return err
		}
		return stays(t, c.User)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// stays says why the video cannot be deleted.
func stays(t db.Task, u db.User) *Problem {
	if t.DeletableBy(u) {
		return &Problem{Status: http.StatusConflict, Code: Busy, Detail: notOver, Wait: 10}
	}
	return &Problem{Status: http.StatusForbidden, Code: Forbidden, Detail: notOwn}
}
