package handlers

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	libraryview "dailies/views/library"
	"dailies/web"
)

// shownLatest is how many cards stand beside the form.
const shownLatest = 8

// showLatest is the list beside the form, refreshed while something runs.
func (a *App) showLatest(w http.ResponseWriter, r *http.Request) error {
	latest, err := a.latest(r)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.LatestPart(latest))
}

func (a *App) latest(r *http.Request) (createview.Latest, error) {
	tasks, err := a.Store.LatestTasks(r.Context(), site.Me(r).ID, shownLatest)
	if err != nil {
		return createview.Latest{}, err
	}
	cards, err := a.cards.Of(r, tasks)
	return createview.Latest{Cards: cards}, err
}

// showTask is everything about one video.
func (a *App) showTask(w http.ResponseWriter, r *http.Request) error {
	page, err := a.taskPage(r)
	if err != nil {
		return err
	}
	page.Card.Task = a.lookAfter(r.Context(), page.Card.Task)
	return a.drawTask(w, r, http.StatusOK, page)
}

// drawTask fills in what only the whole page has.
func (a *App) drawTask(w http.ResponseWriter, r *http.Request, status int, page libraryview.TaskPage) error {
	var err error
	if page.Card.Mine {
		if page.Answers, err = a.Store.Answers(r.Context(), page.Card.Task.ID); err != nil {
			return err
		}
	}
	if err := a.fillPlaces(r, &page); err != nil {
		return err
	}
	if err := a.orderPage(r, &page); err != nil {
		return err
	}
	if page.Recipe, err = a.RecipeOf(r, page.Card.Task); err != nil {
		return err
	}
	if page.Lineage, err = a.lineage(r, page.Card.Task); err != nil {
		return err
	}
	f, err := a.Frame(w, r, "Video")
	if err != nil {
		return err
	}
	return web.PageStatus(w, r, status, libraryview.ShowTask(f, page), libraryview.TaskStatus(page))
}

// showTaskStatus is the part of the page that changes while the video is made.
func (a *App) showTaskStatus(w http.ResponseWriter, r *http.Request) error {
	page, err := a.taskPage(r)
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, libraryview.TaskStatus(page))
}

// resendTask sends an unconfirmed video again, as a new one, because the
// person says so: the first may have been paid, and its row says that.
func (a *App) resendTask(w http.ResponseWriter, r *http.Request) error {
	old, err := a.OwnTask(r)
	if err != nil {
		return err
	}
	again := old.Again(fmt.Sprintf("again %d", old.ID), db.Now())
	if again.Pictures, err = a.picturesAgain(w, r, old); err != nil || again.Pictures == nil {
		return err
	}
	if _, err := a.DecideTask(r); err != nil {
		return err
	}
	if again, err = a.addTask(r.Context(), again); err != nil {
		return err
	}
	return web.SeeOther(w, r, fmt.Sprintf("/tasks/%d", again.ID))
}

// leaveTask puts an unconfirmed video aside.
func (a *App) leaveTask(w http.ResponseWriter, r *http.Request) error {
	t, err := a.DecideTask(r)
	if err != nil {
		return err
	}
	if err := a.Cookies.Leave(w, r, "flash", "Left as it is. If the video turns out to be made after all, it appears here."); err != nil {
		return err
	}
	return web.SeeOther(w, r, fmt.Sprintf("/tasks/%d", t.ID))
}

func (a *App) taskPage(r *http.Request) (libraryview.TaskPage, error) {
	t, err := a.Task(r)
	if err != nil {
		return libraryview.TaskPage{}, err
	}
	cards, err := a.cards.Of(r, []db.Task{t})
	if err != nil {
		return libraryview.TaskPage{}, err
	}
	page := libraryview.TaskPage{Card: cards[0], Uploads: a.UploadsReach()}
	if site.Playable(t, site.Me(r).ID) { // any other is no scene of a storyline
		if page.Story, err = a.story(r.Context(), site.Me(r).ID, t); err != nil {
			return page, err
		}
	}
	return page, nil
}
