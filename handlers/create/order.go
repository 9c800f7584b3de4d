package create

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"dailies/db"
	"dailies/db/format"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/videoapi"
)

// Orders makes videos from the form.
type Orders struct {
	answers *formAnswers
	catalog *videoapi.Catalog
	origins *Origins
	page    *formPage
	press   *Press
}

// formAnswers answers a submitted form.
type formAnswers struct {
	asks   site.Asks
	drafts *Drafts
	page   *formPage
	press  *Press
}

// Create makes one or several videos from the form, and waits briefly for the
// service's answer, so that a refusal appears in the form with everything that was
// typed.
func (h *Orders) Create(w http.ResponseWriter, r *http.Request) error {
	scene, err := sceneOf(r)
	if err != nil {
		return err
	}
	values, err := site.FormValues(r)
	if err != nil {
		return err
	}
	f := ReadForm(scene, h.catalog, values)
	answers := f.Use == db.Answered
	if err := errors.Join(h.origins.Settle(r, &f), f.Join(r.Context(), h.origins.Casting)); err != nil {
		return err
	}
	if answers && f.Parent == nil { // it would not be what was asked for
		return h.page.draw(w, r, http.StatusUnprocessableEntity, f, input.Errors{"": createview.TakeGone}, nil)
	}
	if values.Get("do") == "ask" {
		return h.answers.ask(w, r, f, values)
	}
	if f.Known && f.OptionsOf != "" && f.OptionsOf != f.Model {
		if notes := f.Adapt(h.catalog); notes != nil {
			notes = append(notes, createview.NewModel)
			return h.page.draw(w, r, http.StatusUnprocessableEntity, f, nil, notes)
		}
	}
	if errs := AddUploadErrors(f.Check(h.catalog), values); errs != nil {
		return h.page.draw(w, r, http.StatusUnprocessableEntity, f, errs, nil)
	}
	u := site.Me(r)
	tasks, problems, err := h.press.Place(r.Context(), Order{
		User: u, Tasks: f.Tasks(h.catalog, u, values.Get("token")),
		Shown: values.Get("price_shown"), Service: site.ParseID(values.Get("service")), Accepted: f.SlowTold, Resent: f.Resent(u), Wait: true,
		Chosen: f.Casting.Chosen, Then: f.Casting.AsTheyWere(), Told: f.Casting.Told, Met: f.Casting.Met,
	})
	switch {
	case err != nil:
		return err
	case problems != nil:
		return h.answers.refuse(w, r, f, problems)
	}
	return h.answers.made(w, r, f, tasks)
}

// Resent returns the ID of the unconfirmed task that the form replaces, or 0.
func (f Form) Resent(u db.User) int64 {
	if old := f.Parent; old != nil && f.Use == db.Retried && old.UserID == u.ID && old.State == db.Unconfirmed {
		return old.ID
	}
	return 0
}

// refuse shows the form again, with the problems that keep it from being sent.
func (h *formAnswers) refuse(w http.ResponseWriter, r *http.Request, f Form, problems Problems) error {
	f.SlowTold = append(f.SlowTold, problems.Slow()...)
	errs := f.Errors(problems)
	if problems.Has(NoKey) {
		h.press.KeepScene(r.Context(), site.Me(r), string(f.Scene))
		var err error
		if errs, err = h.drafts.WithoutKey(r, DraftName(site.Me(r).ID, string(f.Scene)), f.Values()); err != nil {
			return err
		}
	}
	return h.page.draw(w, r, problems.Status(), f, errs, nil)
}

// made redirects to the form, where the videos' cards are. If the service refused
// all of them, it shows the form with the reason.
func (h *formAnswers) made(w http.ResponseWriter, r *http.Request, f Form, tasks []db.Task) error {
	first := tasks[0]
	if h.press.HideRefused(r, tasks) {
		f.Refused = &first
		errs := input.Errors{"": format.Sentences(part.Why(first), part.NothingPaid(len(tasks)))}
		return h.page.draw(w, r, http.StatusUnprocessableEntity, f, errs, nil)
	}
	h.drafts.Sent(w, r, DraftName(first.UserID, first.Scene))
	more := ""
	if first.Private { // the next video will also be private, unless the user changes that
		more = "&use=" + string(db.Copied)
	}
	if f.IsList() { // the form goes on without the first row and what that has of its own
		more += "&prompt="
		for _, name := range RowOptions {
			more += "&" + url.Values{name: {f.Options[name]}}.Encode()
		}
	}
	if first.Model != f.Model { // the form keeps the full model of this draft
		more += "&draft_first=true&model=" + url.QueryEscape(f.Model)
	}
	return web.SeeOther(w, r, fmt.Sprintf("/create/%s?from=%d%s#latest", first.Scene, first.ID, more))
}

// ask stores the user's request to spend more than the limit, and shows the form
// again with everything that was typed.
func (h *formAnswers) ask(w http.ResponseWriter, r *http.Request, f Form, values url.Values) error {
	asked, err := h.asks.Add(r.Context(), site.Me(r), values)
	if err != nil {
		return err
	}
	f.Asked = &asked
	status := http.StatusOK
	if asked.IsRefused() {
		status = http.StatusUnprocessableEntity
	}
	return h.page.draw(w, r, status, f, nil, nil)
}
