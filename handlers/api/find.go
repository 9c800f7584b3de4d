package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/library"
	"dailies/handlers/site"
	"dailies/views/record"
)

// Videos finds videos and files.
type Videos struct {
	drawing
	search   *video.Search
	settings *people.Settings
	stored   *site.Stored
	tasks    *video.Tasks
}

// Bounds of a list.
const (
	usualLimit = 24
	mostLimit  = 100
)

// List answers with the videos that the gallery's filters select, the newest first.
func (h *Videos) List(w http.ResponseWriter, r *http.Request, c Caller) error {
	zone, err := h.settings.TimeZone(r.Context())
	if err != nil {
		return err
	}
	q := r.URL.Query()
	limit := usualLimit
	if q.Has("limit") {
		if limit, err = strconv.Atoi(q.Get("limit")); err != nil || limit < 1 || limit > mostLimit {
			return wrong("limit", oddLimit)
		}
	}
	if name := library.UnknownValue(q, c.User.ID); name != "" {
		return wrong(name, oddFilter)
	}
	cursor := q.Get("cursor")
	for _, name := range []string{"cursor", "limit"} {
		q.Del(name)
	}
	f := library.ReadFilter(q, c.User.ID, db.Now().In(zone))
	if f.Limit = limit + 1; cursor != "" {
		before, ok := openCursor(cursor, q)
		if !ok {
			return &Problem{Status: http.StatusUnprocessableEntity, Code: Cursor, Field: "cursor", Detail: oddCursor}
		}
		f.Before = before
	}
	tasks, err := h.search.Tasks(r.Context(), f)
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
		w.Header().Set("Link", fmt.Sprintf(`<%s/api/v1/videos?%s>; rel="next"`, h.network.Origin(r), next.Encode()))
	}
	list := struct {
		Videos []record.Video `json:"videos"`
	}{[]record.Video{}}
	for _, t := range tasks {
		list.Videos = append(list.Videos, h.video(r, t))
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

// find returns the task that the request names, if lists show it to the person.
func (h *Videos) find(ctx context.Context, r *http.Request, c Caller) (db.Task, error) {
	t, err := h.tasks.Task(ctx, site.ParseID(r.PathValue("id")))
	if err == nil && !t.ListedFor(c.User.ID) {
		err = gone()
	}
	return t, err
}

// File answers with the video's file, or a part of it.
func (h *Videos) File(w http.ResponseWriter, r *http.Request, c Caller) error {
	t, err := h.find(r.Context(), r, c)
	if err != nil {
		return err
	}
	m, here := t.Video()
	if !here || !t.Ready() {
		return &Problem{Status: http.StatusNotFound, Code: NotFound, Detail: notYetKept}
	}
	file, err := h.stored.Open(r, m)
	if err != nil {
		return err
	}
	defer file.Close()
	w.Header().Set("Cache-Control", "private, no-cache")
	return h.stored.Play(w, r, m, file, "")
}
