package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math"
	"net/http"
	"strings"

	"dailies/db"
	"dailies/db/option"
	"dailies/db/ordering"
	"dailies/db/spending"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/views/record"
	"dailies/web/videoapi"
)

// optionValues reads options as a form sends them.
func optionValues(given map[string]string) db.Options { return option.Text(given).Values() }

// Lists answers with what programs need to know before they make a video.
type Lists struct {
	cast        *video.Cast
	catalog     *videoapi.Catalog
	collections *video.Collections
	recipes     *video.Recipes
}

// mostCollections limits the list of collections.
const mostCollections = 1000

// sendTagged answers with the value, or with 304 if the program has it already.
func sendTagged(w http.ResponseWriter, r *http.Request, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return sendTaggedBytes(w, r, body)
}

func sendTaggedBytes(w http.ResponseWriter, r *http.Request, body []byte) error {
	sum := sha256.Sum256(body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if hasTag(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return sendBytes(w, http.StatusOK, "application/json", body)
}

// hasTag reports whether the list of If-None-Match has the tag.
func hasTag(list, tag string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
			return true
		}
	}
	return false
}

// A model is one of the catalogue, with the values that its options accept.
type model struct {
	ID      string              `json:"id"`
	Name    string              `json:"name"`
	Scenes  []videoapi.Scene    `json:"scenes"`
	Options map[string][]string `json:"options"`
}

// Models lists the models.
func (h *Lists) Models(w http.ResponseWriter, r *http.Request, _ Caller) error {
	all := []model{}
	for _, m := range h.catalog.Models {
		one := model{ID: m.ID, Name: m.Name, Scenes: m.Scenes, Options: map[string][]string{}}
		for _, name := range []string{"duration", "aspect_ratio", "resolution", "generate_audio", "camera_fixed", "enable_safety_checker"} {
			if choices := m.Choices(name); len(choices) > 0 {
				one.Options[name] = choices
			}
		}
		all = append(all, one)
	}
	return sendTagged(w, r, map[string]any{"models": all})
}

// A recipe is a saved form. Its blanks are in double braces.
type recipe struct {
	ID      int64         `json:"id"`
	Name    string        `json:"name"`
	Note    string        `json:"note"`
	Scene   string        `json:"scene"`
	Model   string        `json:"model"`
	Prompt  string        `json:"prompt"`
	Blanks  []blank       `json:"blanks"`
	Options option.Values `json:"options"` // what it fixes
	Ceiling *float64      `json:"ceiling"`
}

// A blank is filled in when a recipe is used: with words, or with the address of a picture.
type blank struct {
	Name    string    `json:"name"`
	Kind    blankKind `json:"kind"`
	Picture bool      `json:"picture"` // from before there were kinds
}

// A blankKind says what a blank is filled in with.
type blankKind string

// The kinds of blanks.
const (
	wordsBlank   blankKind = "words"
	pictureBlank blankKind = "picture"
)

// Recipes lists the recipes of the team. As on the pages, those who make no videos have none.
func (h *Lists) Recipes(w http.ResponseWriter, r *http.Request, c Caller) error {
	if !c.User.Makes() {
		return &Problem{Status: http.StatusForbidden, Code: Forbidden, Detail: makersOnly}
	}
	found, err := h.recipes.All(r.Context())
	if err != nil {
		return err
	}
	all := []recipe{}
	for _, f := range found {
		all = append(all, recipeOf(f))
	}
	return sendTagged(w, r, map[string]any{"recipes": all})
}

func recipeOf(r ordering.Recipe) recipe {
	of := recipe{ID: r.ID, Name: r.Name, Note: r.Note, Scene: r.Scene, Model: r.Model, Prompt: r.Prompt,
		Blanks: []blank{}, Options: r.Options, Ceiling: amount(r.Ceiling)}
	for _, b := range r.Blanks() {
		kind := wordsBlank
		if b.Picture {
			kind = pictureBlank
		}
		of.Blanks = append(of.Blanks, blank{b.Name, kind, b.Picture})
	}
	return of
}

// A member is one of the cast. Prompts name it by its handle.
type member struct {
	ID     int64  `json:"id"`
	Handle string `json:"handle"`
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Look   string `json:"look"`
}

// Cast lists the cast of the team.
func (h *Lists) Cast(w http.ResponseWriter, r *http.Request, _ Caller) error {
	found, err := h.cast.List(r.Context())
	if err != nil {
		return err
	}
	all := []member{}
	for _, m := range found {
		all = append(all, member{m.ID, m.Handle, m.Name, string(m.Kind), m.Look})
	}
	return sendTagged(w, r, map[string]any{"cast": all})
}

// A collection is a list of videos.
type collection struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Collections lists the collections of the team.
func (h *Lists) Collections(w http.ResponseWriter, r *http.Request, _ Caller) error {
	found, err := h.collections.CollectionNames(r.Context(), mostCollections)
	if err != nil {
		return err
	}
	all := []collection{}
	for _, c := range found {
		all = append(all, collection{c.ID, c.Name})
	}
	return sendTagged(w, r, map[string]any{"collections": all})
}

// Person tells a program about its person and their money.
type Person struct {
	limits *people.Limits
}

// Me answers with whom the token acts for, and what it may do.
func (h *Person) Me(w http.ResponseWriter, _ *http.Request, c Caller) error {
	return sendJSON(w, http.StatusOK, map[string]any{
		"id": c.User.ID, "name": c.User.Name, "role": c.User.Role,
		"token": map[string]any{"name": c.Token.Name, "may": c.May, "cap": amount(c.Token.Cap), "ends_at": stamp(c.Token.EndsAt)},
	})
}

// Limits answers with what the token and the person may still spend this month.
func (h *Person) Limits(w http.ResponseWriter, r *http.Request, c Caller) error {
	room, err := h.limits.Room(r.Context(), c.User.ID, db.Now())
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, map[string]any{
		"month": monthOf(room), "cap": amount(c.Token.Cap), "limit": amount(room.Limit), "team_limit": amount(room.Team),
		"left": left{amount(c.Token.Left()), amount(room.Left())}, "stopped": !c.Token.StoppedAt.IsZero(),
	})
}

// Usage answers with what was spent this month.
func (h *Person) Usage(w http.ResponseWriter, r *http.Request, c Caller) error {
	room, err := h.limits.Room(r.Context(), c.User.ID, db.Now())
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK,
		map[string]any{"month": monthOf(room), "spent": thousandths(room.Spent), "spent_by_token": thousandths(c.Token.Spent)})
}

// monthOf returns the month as 2026-11.
func monthOf(r spending.Room) string { return r.Month.Start().Format("2006-01") }

// thousandths rounds an amount that was calculated to the precision of credits.
func thousandths(credits float64) float64 { return math.Round(credits*1000) / 1000 }

// Notes tells what was said about videos.
type Notes struct {
	*Videos
	guests *video.Guests
	notes  *video.Notes
}

// List answers with the notes on the video, and with what guests decided about it: those
// that its page shows the person. Nothing counts as seen, because a program reads it.
func (h *Notes) List(w http.ResponseWriter, r *http.Request, c Caller) error {
	t, err := h.find(r.Context(), r, c)
	if err != nil {
		return err
	}
	found, err := h.notes.Of(r.Context(), t.ID)
	if err != nil {
		return err
	}
	standings, err := h.guests.Standings(r.Context(), []int64{t.ID}, db.Now())
	if err != nil {
		return err
	}
	list := struct {
		Notes    []record.Note    `json:"notes"`
		Verdicts []record.Verdict `json:"verdicts"`
	}{[]record.Note{}, []record.Verdict{}}
	for _, n := range found {
		list.Notes = append(list.Notes, record.NoteOf(n))
	}
	for _, v := range standings[t.ID].Verdicts {
		list.Verdicts = append(list.Verdicts, record.VerdictOf(v))
	}
	return sendJSON(w, http.StatusOK, list)
}
