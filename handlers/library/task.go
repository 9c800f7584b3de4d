package library

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

// Tasks shows one video's page, and changes what becomes of the video.
type Tasks struct {
	site    *site.Site
	cards   *site.Cards
	links   *Links
	media   *Media
	stories *Stories
}

// Show answers with the page of one video.
func (ts *Tasks) Show(w http.ResponseWriter, r *http.Request) error {
	page, err := ts.page(r)
	if err != nil {
		return err
	}
	page.Card.Task = ts.media.lookAfter(r.Context(), page.Card.Task)
	return ts.draw(w, r, http.StatusOK, page)
}

// Draw fills in what only the whole page has.
func (ts *Tasks) draw(w http.ResponseWriter, r *http.Request, status int, page libraryview.TaskPage) error {
	if err := ts.fill(r, &page); err != nil {
		return err
	}
	var err error
	if page.Way, err = ts.way(r, page.Card.Task.ID); err != nil {
		return err
	}
	f, err := ts.site.Frame(w, r, page.Card.Title())
	if err != nil {
		return err
	}
	return web.PageStatus(w, r, status, libraryview.ShowTask(f, page), libraryview.TaskStatus(page))
}

// fill fills in what the panel beside the video shows.
func (ts *Tasks) fill(r *http.Request, page *libraryview.TaskPage) (err error) {
	t := page.Card.Task
	if page.Card.Mine {
		if page.Answers, err = ts.site.Store.Answers(r.Context(), t.ID); err != nil {
			return err
		}
	}
	if err := ts.fillPlaces(r, page); err != nil {
		return err
	}
	if err := ts.fillTags(r, page); err != nil {
		return err
	}
	if page.Recipe, err = ts.site.RecipeOf(r, t); err != nil {
		return err
	}
	page.Lineage, err = ts.lineage(r, t)
	return err
}

// ShowStatus answers with the part of the page that changes while the video is
// made. Once it is made, the panel beside it comes too.
func (ts *Tasks) ShowStatus(w http.ResponseWriter, r *http.Request) error {
	page, err := ts.page(r)
	if err != nil {
		return err
	}
	page.Way.Filter = filterIn(r)
	if page.Card.Live() {
		return web.Fragment(w, r, http.StatusOK, libraryview.TaskStatus(page))
	}
	if err := ts.fill(r, &page); err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, libraryview.TaskDone(page))
}

// Leave settles an unconfirmed video without sending it again.
func (ts *Tasks) Leave(w http.ResponseWriter, r *http.Request) error {
	t, err := ts.site.DecideTask(r)
	if err != nil {
		return err
	}
	return ts.site.SeeOther(w, r, fmt.Sprintf("/tasks/%d", t.ID), "Left as it is. If the video turns out to be made after all, it appears here.")
}

func (ts *Tasks) page(r *http.Request) (libraryview.TaskPage, error) {
	t, err := ts.site.Task(r)
	if err != nil {
		return libraryview.TaskPage{}, err
	}
	cards, err := ts.cards.Of(r, []db.Task{t})
	if err != nil {
		return libraryview.TaskPage{}, err
	}
	page := libraryview.TaskPage{Card: cards[0], Uploads: ts.site.UploadsReach()}
	if t.PlayableFor(site.Me(r).ID) { // any other is no scene of a storyline
		if page.Story, err = ts.stories.scenes(r.Context(), site.Me(r).ID, t); err != nil {
			return page, err
		}
	}
	return page, nil
}

// RefuseNext shows the video's page again, with why the picture that was to begin
// the next scene will not do.
func (ts *Tasks) RefuseNext(w http.ResponseWriter, r *http.Request, why string) error {
	page, err := ts.page(r)
	if err != nil {
		return err
	}
	page.NextError = why
	return ts.draw(w, r, http.StatusUnprocessableEntity, page)
}
