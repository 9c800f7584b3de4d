package handlers

import (
	"fmt"
	"net/http"
	"strconv"

	"dailies/db"
	createview "dailies/views/create"
	libraryview "dailies/views/library"
	"dailies/views/part"
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
	tasks, err := a.Store.LatestTasks(r.Context(), me(r).ID, shownLatest)
	if err != nil {
		return createview.Latest{}, err
	}
	cards, err := a.cards(r, tasks)
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
	if page.Recipe, err = a.recipeOf(r, page.Card.Task); err != nil {
		return err
	}
	if page.Lineage, err = a.lineage(r, page.Card.Task); err != nil {
		return err
	}
	f, err := a.frame(w, r, "Video")
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
	old, err := a.ownTask(r)
	if err != nil {
		return err
	}
	again := old.Again(fmt.Sprintf("again %d", old.ID), db.Now())
	if again.Pictures, err = a.picturesAgain(w, r, old); err != nil || again.Pictures == nil {
		return err
	}
	if _, err := a.decideTask(r); err != nil {
		return err
	}
	if again, err = a.addTask(r.Context(), again); err != nil {
		return err
	}
	return web.SeeOther(w, r, fmt.Sprintf("/tasks/%d", again.ID))
}

// leaveTask puts an unconfirmed video aside.
func (a *App) leaveTask(w http.ResponseWriter, r *http.Request) error {
	t, err := a.decideTask(r)
	if err != nil {
		return err
	}
	if err := a.Cookies.Leave(w, r, "flash", "Left as it is. If the video turns out to be made after all, it appears here."); err != nil {
		return err
	}
	return web.SeeOther(w, r, fmt.Sprintf("/tasks/%d", t.ID))
}

// ownTask is the task in the address, if it is the viewer's own.
func (a *App) ownTask(r *http.Request) (db.Task, error) {
	t, err := a.task(r)
	if err == nil && t.UserID != me(r).ID {
		err = web.NotFound()
	}
	return t, err
}

func (a *App) decideTask(r *http.Request) (db.Task, error) {
	t, err := a.ownTask(r)
	if err != nil {
		return t, err
	}
	return a.Store.UpdateTask(r.Context(), t.ID, func(t *db.Task) error {
		if t.State != db.Unconfirmed {
			return fmt.Errorf("task %d is %s: %w", t.ID, t.State, db.ErrConflict)
		}
		return t.Decide(db.Now())
	})
}

// task is the task in the address, if the viewer may see it.
func (a *App) task(r *http.Request) (db.Task, error) {
	id, err := idOf(r)
	if err != nil {
		return db.Task{}, err
	}
	t, err := a.Store.Task(r.Context(), id)
	if err != nil {
		return t, err
	}
	if !t.VisibleTo(me(r).ID) {
		return t, web.NotFound()
	}
	return t, nil
}

func (a *App) taskPage(r *http.Request) (libraryview.TaskPage, error) {
	t, err := a.task(r)
	if err != nil {
		return libraryview.TaskPage{}, err
	}
	cards, err := a.cards(r, []db.Task{t})
	if err != nil {
		return libraryview.TaskPage{}, err
	}
	page := libraryview.TaskPage{Card: cards[0], Uploads: a.uploadsReach()}
	if playable(t, me(r).ID) { // any other is no scene of a storyline
		if page.Story, err = a.story(r.Context(), me(r).ID, t); err != nil {
			return page, err
		}
	}
	return page, nil
}

// card is the task with what is known around it at once.
func (a *App) card(r *http.Request, t db.Task) part.Card {
	return part.Card{
		Task: t, ModelName: a.Catalog.Name(t.Model), Mine: t.UserID == me(r).ID, Poses: t.PosedBy(me(r)), Sandbox: a.Sandbox != nil, Now: db.Now(),
	}
}

// cards puts around each task what its card needs. Only running ones need to
// know what is usual.
func (a *App) cards(r *http.Request, tasks []db.Task) ([]part.Card, error) {
	cards, finals := make([]part.Card, 0, len(tasks)), finals{}
	for _, t := range tasks {
		c := a.card(r, t)
		c.Final = a.final(r.Context(), t, finals)
		if t.State.Running() {
			var err error
			if c.Usual, err = a.Store.UsualTime(r.Context(), t.Scene, t.Model, t.Options); err != nil {
				return nil, err
			}
		}
		cards = append(cards, c)
	}
	return cards, a.offerComparing(r, cards)
}

// idOf is the number in the address.
func idOf(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id <= 0 {
		return 0, web.NotFound()
	}
	return id, nil
}
