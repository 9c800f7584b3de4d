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
	"dailies/views/record"
	"dailies/web/videoapi"
)

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

// ListModels lists the models.
func (a *API) ListModels(w http.ResponseWriter, r *http.Request) error {
	all, options := []model{}, option.Names()
	for _, m := range a.catalog.Models {
		one := model{ID: m.ID, Name: m.Name, Scenes: m.Scenes, Options: map[string][]string{}}
		for _, name := range options {
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

// ListRecipes lists the recipes of the team. As on the pages, those who make no videos have none.
func (a *API) ListRecipes(w http.ResponseWriter, r *http.Request) error {
	if !caller(r).User.Makes() {
		return &Problem{Status: http.StatusForbidden, Code: Forbidden, Detail: makersOnly}
	}
	found, err := a.recipes.All(r.Context())
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

// ListCast lists the cast of the team.
func (a *API) ListCast(w http.ResponseWriter, r *http.Request) error {
	found, err := a.cast.List(r.Context())
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

// ListCollections lists the collections of the team.
func (a *API) ListCollections(w http.ResponseWriter, r *http.Request) error {
	found, err := a.collections.CollectionNames(r.Context(), mostCollections)
	if err != nil {
		return err
	}
	all := []collection{}
	for _, c := range found {
		all = append(all, collection{c.ID, c.Name})
	}
	return sendTagged(w, r, map[string]any{"collections": all})
}

// Me answers with whom the token acts for, and what it may do.
func (a *API) Me(w http.ResponseWriter, r *http.Request) error {
	c := caller(r)
	return sendJSON(w, http.StatusOK, map[string]any{
		"id": c.User.ID, "name": c.User.Name, "role": c.User.Role,
		"token": map[string]any{"name": c.Token.Name, "may": c.May, "cap": amount(c.Token.Cap), "ends_at": stamp(c.Token.EndsAt)},
	})
}

// Limits answers with what the token and the person may still spend this month.
func (a *API) Limits(w http.ResponseWriter, r *http.Request) error {
	c := caller(r)
	budget, err := a.limits.Budget(r.Context(), c.User.ID, db.Now())
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, map[string]any{
		"month": monthOf(budget), "cap": amount(c.Token.Cap), "limit": amount(budget.Limit), "team_limit": amount(budget.Team),
		"left": left{amount(c.Token.Left()), amount(budget.Left())}, "stopped": !c.Token.StoppedAt.IsZero(),
	})
}

// Usage answers with what was spent this month.
func (a *API) Usage(w http.ResponseWriter, r *http.Request) error {
	c := caller(r)
	budget, err := a.limits.Budget(r.Context(), c.User.ID, db.Now())
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK,
		map[string]any{"month": monthOf(budget), "spent": thousandths(budget.Spent), "spent_by_token": thousandths(c.Token.Spent)})
}

// monthOf returns the month as 2026-11.
func monthOf(r spending.Budget) string { return r.Month.Start().Format("2006-01") }

// thousandths rounds an amount that was calculated to the precision of credits.
func thousandths(credits float64) float64 { return math.Round(credits*1000) / 1000 }

// ListNotes answers with the notes on the video, and with what guests decided about it: those
// that its page shows the person. Nothing counts as seen, because a program reads it.
func (a *API) ListNotes(w http.ResponseWriter, r *http.Request) error {
	t, err := a.findVideo(r)
	if err != nil {
		return err
	}
	found, err := a.notes.Of(r.Context(), t.ID)
	if err != nil {
		return err
	}
	approvals, err := a.guests.Approvals(r.Context(), []int64{t.ID}, db.Now())
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
	for _, v := range approvals[t.ID].Verdicts {
		list.Verdicts = append(list.Verdicts, record.VerdictOf(v))
	}
	return sendJSON(w, http.StatusOK, list)
}
