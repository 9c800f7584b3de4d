package library

import (
	"net/http"

	"dailies/db"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// VideoHandlers holds the handlers of a video's page.
type VideoHandlers struct {
	Tasks     *Tasks
	Dropping  *Dropping
	Follow    *Follow
	Media     *Media
	Posters   *Posters
	Stacks    *Stacks
	Notes     *Notes
	Note      *Note
	NoteList  *NoteList
	NoteFiles *NoteFiles
}

// NewVideos returns the handlers.
func NewVideos(s *site.Site, cards *site.Cards, lists *Lists, links *Links) *VideoHandlers {
	talks := &talks{accounts: s.Store.Accounts, guests: s.Store.Guests, notes: s.Store.Notes, takes: s.Store.Takes}
	page := &taskPage{
		finder: &taskFinder{cards: cards, named: s.Named, network: s.Network, scenes: lists.Scenes},
		pages:  s.Pages, search: s.Store.Search, settings: s.Store.Settings,
		panel: &taskPanel{
			family: &family{cards: cards, lineage: s.Store.Lineage, links: s.Store.Links}, named: s.Named,
			places: &places{collections: s.Store.Collections, links: links, tags: s.Store.Tags}, talks: talks, tasks: s.Store.Tasks,
		},
	}
	return &VideoHandlers{
		Tasks:    &Tasks{links: links, page: page, stored: s.Stored, tasks: s.Store.Tasks, wake: s.Wake},
		Media:    &Media{files: s.Store.Files, stored: s.Stored},
		Dropping: &Dropping{desk: s.Desk, named: s.Named, pages: s.Pages, tasks: s.Store.Tasks},
		Follow: &Follow{
			page: page, wake: s.Wake,
			at: &serviceVideos{
				calls: s.Store.Calls, jobs: &jobs{leases: s.Store.Leases, now: s.Store.Now, tries: s.Tries},
				keys: &taskKeys{calls: s.Store.Calls, vault: s.Vault}, log: s.Log, desk: s.Desk,
			},
		},
		Posters: &Posters{
			covers: &covers{files: s.Store.Files, media: s.Media, space: s.Space, tasks: s.Store.Tasks},
			files:  s.Store.Files, intake: s.Intake, named: s.Named, pages: s.Pages,
		},
		Stacks:    &Stacks{page: page, takes: s.Store.Takes},
		Notes:     &Notes{films: s.Films, notes: s.Store.Notes, page: page, talks: talks},
		Note:      &Note{notes: s.Store.Notes, page: page, talks: talks},
		NoteList:  &NoteList{cards: cards, guests: s.Store.Guests, notes: s.Store.Notes, pages: s.Pages, search: s.Store.Search},
		NoteFiles: &NoteFiles{films: s.Films, named: s.Named, notes: s.Store.Notes},
	}
}

// Tasks shows a video's page, and handles its title, links and state.
type Tasks struct {
	links  *Links
	stored *site.Stored
	page   *taskPage
	tasks  *video.Tasks
	wake   func()
}

// taskPage is the page of a video.
type taskPage struct {
	finder   *taskFinder
	pages    *site.Pages
	panel    *taskPanel
	search   *video.Search
	settings *people.Settings
}

// taskFinder reads the video that a request names, for its page.
type taskFinder struct {
	cards   *site.Cards
	named   *site.Named
	network *site.Network
	scenes  *SceneFinder
}

// taskPanel fills in the panel beside the video.
type taskPanel struct {
	family *family
	named  *site.Named
	places *places
	talks  *talks
	tasks  *video.Tasks
}

// places knows in which collections a video is, which links show it, and which tags there are.
type places struct {
	collections *video.Collections
	links       *Links
	tags        *video.Tags
}

// family knows from which videos a video was made, which were made from it, and which are
// takes of it.
type family struct {
	cards   *site.Cards
	lineage *video.Lineage
	links   *video.Links
}

// Show shows the page of one video.
func (h *Tasks) Show(w http.ResponseWriter, r *http.Request) error {
	page, err := h.page.finder.find(r)
	if err != nil {
		return err
	}
	page.Card.Task = h.stored.Marks(r.Context(), h.stored.Check(r.Context(), page.Card.Task))
	return h.page.draw(w, r, http.StatusOK, page)
}

// draw fills in what only the whole page needs, and renders it.
func (h *taskPage) draw(w http.ResponseWriter, r *http.Request, status int, page libraryview.TaskPage) error {
	if err := h.panel.fill(r, &page); err != nil {
		return err
	}
	var err error
	if page.Way, err = h.way(r, page.Card.Task.ID); err != nil {
		return err
	}
	f, err := h.pages.Frame(w, r, page.Card.Title())
	if err != nil {
		return err
	}
	return web.PageStatus(w, r, status, libraryview.ShowTask(f, page), libraryview.TaskStatus(page))
}

// fill fills in what the panel beside the video shows, and the service's raw answers, if
// they are asked for.
func (h *taskPanel) fill(r *http.Request, page *libraryview.TaskPage) (err error) {
	t, cards := page.Card.Task, []part.Card{page.Card}
	if err := h.family.cards.FillCast(r.Context(), cards); err != nil {
		return err
	}
	page.Card.Cast = cards[0].Cast
	if page.Card.Mine && r.URL.Query().Has(libraryview.WithAnswers) {
		if page.Answers, err = h.tasks.Answers(r.Context(), t.ID); err != nil {
			return err
		}
	}
	if err := h.places.fill(r, page); err != nil {
		return err
	}
	stands, err := h.talks.standing(r, t)
	if err != nil {
		return err
	}
	if page.Talk, err = h.talks.of(r, t, stands); err != nil {
		return err
	}
	if page.NoteForm != nil {
		page.Talk.Form = *page.NoteForm
	}
	if page.Recipe, err = h.named.RecipeOf(r, t); err != nil {
		return err
	}
	if page.Lineage, err = h.family.of(r, t); err != nil {
		return err
	}
	return h.family.fillTakes(r, page, stands)
}

// ShowStatus returns the part of the page that changes while the video is being made.
// Once it is finished, the panel beside it is included.
func (h *Tasks) ShowStatus(w http.ResponseWriter, r *http.Request) error {
	page, err := h.page.finder.find(r)
	if err != nil {
		return err
	}
	page.Way.Filter = filterIn(r)
	if page.Card.Live() {
		return site.Poll(w, r, libraryview.TaskStatus(page))
	}
	if err := h.page.panel.fill(r, &page); err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, libraryview.TaskDone(page))
}

// Leave settles an unconfirmed video: it is not sent again.
func (h *Tasks) Leave(w http.ResponseWriter, r *http.Request) error {
	t, err := h.page.finder.named.DecideTask(r)
	if err != nil {
		return err
	}
	return h.page.pages.SeeOther(w, r, site.TaskPath(t.ID), leftAsIs)
}

func (h *taskFinder) find(r *http.Request) (libraryview.TaskPage, error) {
	t, err := h.named.Task(r)
	if err != nil {
		return libraryview.TaskPage{}, err
	}
	return h.page(r, t)
}

// page returns the page of the video, without what only the whole page needs.
func (h *taskFinder) page(r *http.Request, t db.Task) (libraryview.TaskPage, error) {
	cards, err := h.cards.At(r, nil, []db.Task{t}) // the panel beside the video says what guests decided
	if err != nil {
		return libraryview.TaskPage{}, err
	}
	page := libraryview.TaskPage{Card: cards[0], Still: site.Me(r).Still, Uploads: h.network.UploadsReach()}
	if t.PlayableFor(site.Me(r).ID) { // only a playable video is a scene of a storyline
		line, err := h.scenes.Of(r.Context(), site.Me(r).ID, t)
		if err != nil {
			return page, err
		}
		page.Story = line.Scenes
	}
	return page, nil
}

// RefuseNext shows the video's page again with the reason why the picture for the start
// of the next scene was refused.
func (h *Tasks) RefuseNext(w http.ResponseWriter, r *http.Request, why string) error {
	page, err := h.page.finder.find(r)
	if err != nil {
		return err
	}
	page.NextError = why
	return h.page.draw(w, r, http.StatusUnprocessableEntity, page)
}
