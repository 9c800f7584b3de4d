package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/handlers/service"
	"dailies/views/part"
	"dailies/web"
)

// Poll responds with a part of a page that part.Polled renders, or with nothing if the page
// shows the same already.
func Poll(w http.ResponseWriter, r *http.Request, c web.Component) error {
	var body bytes.Buffer
	var shown string
	if err := c.Render(part.TellShown(r.Context(), &shown), &body); err != nil {
		return err
	}
	if shown != "" && shown == r.URL.Query().Get(part.Seen) {
		return web.NothingNew(w)
	}
	return web.Send(w, http.StatusOK, body.Bytes())
}

// A ListVersion tells whether a list of videos, as a page shows it, is still up to date, without
// reading the videos: their versions say so, and the time up to which the list does not
// change by itself.
//
// The address of the list ends in what the page shows, in three parts: letters that name
// the versions that matter for it beside the videos themselves, the time in milliseconds,
// and a digest of the versions and of all that the list depends on otherwise.
type ListVersion struct {
	Versions schedule.Versions
	name     string // of the version of the videos
	viewer   string // what the list depends on otherwise
}

// Versions that matter for a list beside the videos themselves.
const (
	ofQueue = "q"
	ofUsual = "u"
	ofPrice = "p"
)

// ListVersions tells what the lists of videos depend on.
type ListVersions struct {
	program  string // its version
	registry *service.Registry
	versions func(context.Context, string) (schedule.Versions, error)
}

// Own returns the Watch for the videos of the viewer. It must be called before the
// videos are read.
func (s *ListVersions) Own(r *http.Request) (ListVersion, error) {
	u := Me(r)
	name := schedule.PersonVersion(u.ID)
	versions, err := s.versions(r.Context(), name)
	return ListVersion{versions, name, fmt.Sprintf("%s %d %q %q %d", s.program, u.ID, u.Role, u.Name, s.registry.Current().ID)}, err
}

// IsSeen reports whether the page from which the request comes shows everything.
func (w ListVersion) IsSeen(r *http.Request) bool {
	seen := r.URL.Query().Get(part.Seen)
	parts := strings.Split(seen, ".")
	if len(parts) != 3 || len(parts[0]) > 3 {
		return false
	}
	if parts[1] != "" {
		until, err := strconv.ParseInt(parts[1], 10, 64)
		if err != nil || db.Now().UnixMilli() >= until {
			return false
		}
	}
	return seen == w.digest(parts[0], parts[1])
}

// Seen returns what a page shows that has the cards, and whose look does not change by
// itself until the time, or ever if that is zero. With priced set, it also shows the price
// of a final version.
func (w ListVersion) Seen(cards []part.Card, priced bool, until time.Time) string {
	of, end := "", ""
	if slices.ContainsFunc(cards, func(c part.Card) bool { return !c.Task.State.Begun() }) {
		of += ofQueue
	}
	if slices.ContainsFunc(cards, func(c part.Card) bool { return c.Task.State.Running() }) {
		of += ofUsual
	}
	if priced {
		of += ofPrice
	}
	if !until.IsZero() {
		end = strconv.FormatInt(until.UnixMilli(), 10)
	}
	return w.digest(of, end)
}

// digest returns what a page shows, to which the versions of matter up to the time until.
func (w ListVersion) digest(of, until string) string {
	text := fmt.Sprintf("%s %s %s %d", w.viewer, of, until, w.Versions[w.name])
	if strings.Contains(of, ofQueue) {
		text += fmt.Sprintf(" %d", w.Versions[schedule.QueueVersion])
	}
	if strings.Contains(of, ofUsual) {
		text += fmt.Sprintf(" %d", w.Versions[schedule.UsualVersion])
	}
	if strings.Contains(of, ofPrice) {
		text += " " + w.Versions.Prices()
	}
	sum := sha256.Sum256([]byte(text))
	return of + "." + until + "." + hex.EncodeToString(sum[:12])
}

// programVersion returns text that another version of the program has otherwise.
func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "vcs.") {
			version += " " + s.Value
		}
	}
	return version
}
