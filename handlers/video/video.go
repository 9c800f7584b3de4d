// Package video serves the page of one video: what it is, its notes, its takes and its
// cover.
package video

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/handlers/share"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// Handlers holds the handlers of a video's page.
type Handlers struct {
	Tasks     *Tasks
	Dropping  *Dropping
	Follow    *Follow
	Links     *Links
	Media     *Media
	Posters   *Posters
	Stacks    *Stacks
	Notes     *Notes
	Note      *Note
	NoteList  *NoteList
	NoteFiles *NoteFiles
}

// New returns the handlers.
func New(s *site.Site, cards *site.Cards, lists *wall.Lists, links *share.Links) *Handlers {
	talks := &talks{accounts: s.Store.Accounts, guests: s.Store.Guests, notes: s.Store.Notes, takes: s.Store.Takes}
	page := &taskPage{
		finder: &taskFinder{cards: cards, named: s.Named, network: s.Network, lists: lists},
		pages:  s.Pages, search: s.Store.Search,
		panel: &taskPanel{
			family: &family{cards: cards, lineage: s.Store.Lineage, links: s.Store.Links}, named: s.Named,
			places: &places{collections: s.Store.Collections, links: links, tags: s.Store.Tags}, talks: talks, tasks: s.Store.Tasks,
		},
	}
	return &Handlers{
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
		Links: &Links{guests: s.Store.Guests, links: s.Store.Links, pages: s.Pages, shares: s.Shares, sharing: links},
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
	links  *share.Links
	stored *site.Stored
	page   *taskPage
	tasks  *video.Tasks
	wake   func()
}

// taskPage is the page of a video.
type taskPage struct {
	finder *taskFinder
	pages  *site.Pages
	panel  *taskPanel
	search *video.Search
}

// taskFinder reads the video that a request names, for its page.
type taskFinder struct {
	cards   *site.Cards
	named   *site.Named
	network *site.Network
	lists   *wall.Lists
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
	links       *share.Links
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
		line, err := h.lists.Storyline(r.Context(), site.Me(r).ID, t)
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

// Dropping ends videos that were not sent before the team changed the video service.
type Dropping struct {
	desk  *service.Desk
	named *site.Named
	pages *site.Pages
	tasks *video.Tasks
}

// Drop ends such a video, of which nothing was paid, or all such videos of the same maker.
// If the form says so, it leads to the form that makes the video with the service that the
// team uses now; nothing is sent by itself.
func (d *Dropping) Drop(w http.ResponseWriter, r *http.Request) error {
	t, err := d.named.OwnTask(r)
	if err != nil {
		return err
	}
	if r.PostFormValue("all") != "" {
		return d.dropAll(w, r, t)
	}
	again, ended := r.PostFormValue("again") != "", false
	_, err = d.tasks.UpdateTask(r.Context(), t.ID, func(t *db.Task) error {
		if !d.desk.IsElsewhere(*t) {
			ended = t.State == db.Rejected && t.Message == switchedOver
			return notElsewhere(*t)
		}
		return t.Reject(db.NoBlame, switchedOver, db.Now())
	})
	if err != nil && !(again && ended) { // whoever pressed twice comes to the form, too
		return err
	}
	if again {
		return web.SeeOther(w, r, part.RetryPath(t))
	}
	return d.pages.SeeOther(w, r, site.TaskPath(t.ID), notMade)
}

func (d *Dropping) dropAll(w http.ResponseWriter, r *http.Request, t db.Task) error {
	n, err := d.tasks.EndElsewhere(r.Context(), t.UserID, switchedOver, db.Now())
	if err == nil && n == 0 {
		err = notElsewhere(t)
	}
	if err != nil {
		return err
	}
	return d.pages.SeeOther(w, r, site.TaskPath(t.ID), notMadeAll(n))
}

func notElsewhere(t db.Task) error {
	return fmt.Errorf("task %d is %s, and not of another service: %w", t.ID, t.State, db.ErrConflict)
}

// Keep tries again to save a video whose link had expired or whose file was lost here.
// If the service is still to be asked for a link, it is asked at once.
func (h *Tasks) Keep(w http.ResponseWriter, r *http.Request) error {
	t, err := h.page.finder.named.OwnTask(r)
	if err != nil {
		return err
	}
	if t = h.stored.Check(r.Context(), t); t.Keeping == db.Kept {
		return h.page.pages.BackTo(w, r, site.TaskPath(t.ID), site.Saved)
	}
	if _, err := h.tasks.UpdateTask(r.Context(), t.ID, func(t *db.Task) error { return t.KeepAgain(db.Now()) }); err != nil {
		return err
	}
	h.wake()
	return web.SeeOther(w, r, site.TaskPath(t.ID))
}

// ShowShare shows the links to one video, and makes one.
func (h *Tasks) ShowShare(w http.ResponseWriter, r *http.Request) error {
	return h.links.Show(h.shareable)(w, r)
}

// Share makes a link that shows one video.
func (h *Tasks) Share(w http.ResponseWriter, r *http.Request) error {
	return h.links.Make(h.shareable)(w, r)
}

func (h *Tasks) shareable(r *http.Request) (share.Shareable, error) {
	t, err := h.page.finder.named.Task(r)
	return share.Shareable{Link: gallery.Share{TaskID: t.ID}, Path: site.TaskPath(t.ID), Able: t.PlayableFor(site.Me(r).ID)}, err
}

// way returns the video's position among those that the filter in the URL selects.
func (h *taskPage) way(r *http.Request, id int64) (libraryview.Way, error) {
	way := libraryview.Way{Filter: filterIn(r)}
	g, err := h.finder.lists.Filter(r)
	if err == nil {
		g.Filter.Before, g.Filter.Through = 0, 0
		way.Most = g.Filter.MostCounted()
		way.Place, err = h.search.PlaceOf(r.Context(), g.Filter, id)
	}
	return way, err
}

// filterIn returns the gallery's filter from the URL of a video's page, without the
// position in the gallery.
func filterIn(r *http.Request) string {
	q := r.URL.Query()
	q.Del("before")
	q.Del("through")
	q.Del(part.Seen)
	if filter := q.Encode(); len(filter) <= maxFilter {
		return filter
	}
	return ""
}

// maxFilter limits, in bytes, the filter that a video's URL carries along.
const maxFilter = 4 << 10

// fill fills in the collections that contain the video, and the tags.
func (h *places) fill(r *http.Request, page *libraryview.TaskPage) error {
	t := page.Card.Task
	recent, err := h.collections.CollectionNames(r.Context(), wall.MaxSuggested)
	if err != nil {
		return err
	}
	in, err := h.collections.CollectionsOf(r.Context(), t.ID)
	if err != nil {
		return err
	}
	page.Collections = libraryview.CollectionPart{TaskID: t.ID, In: in, Recent: recent, LookOnly: page.Card.LookOnly}
	return h.fillTags(r, page)
}

// of returns the video that the task was made from, those made from it and those
// of its batch, as far as the viewer may see them.
func (h *family) of(r *http.Request, t db.Task) (libraryview.Lineage, error) {
	var l libraryview.Lineage
	found, err := h.lineage.Of(r.Context(), site.Me(r).ID, t)
	if err != nil {
		return l, err
	}
	if found.Parent != nil {
		l.Parent = h.smallCards(r, []db.Task{*found.Parent})
	}
	l.Children, l.Batch = h.smallCards(r, found.Children), h.smallCards(r, found.Batch)
	return l, nil
}

// fillTakes fills in the takes of the video, and what guests decided about each.
func (h *family) fillTakes(r *http.Request, page *libraryview.TaskPage, s standing) error {
	if len(s.takes) < 2 {
		return nil
	}
	page.Takes.Cards, page.Takes.Standings = h.smallCards(r, s.takes), s.stand
	if site.Me(r).Makes() {
		links, err := h.links.LinksWithout(r.Context(), page.Card.Task, db.Now())
		if err != nil {
			return err
		}
		for _, s := range links {
			if s.RevocableBy(site.Me(r)) {
				page.Takes.Links = append(page.Takes.Links, s)
			}
		}
	}
	return nil
}

// smallCards returns small cards of the tasks.
func (h *family) smallCards(r *http.Request, tasks []db.Task) []part.Card {
	var cards []part.Card
	for _, t := range tasks {
		cards = append(cards, h.cards.One(r, t))
	}
	return cards
}

// fillTags fills in the tags to choose from, and whether the viewer may delete the
// video.
func (h *places) fillTags(r *http.Request, page *libraryview.TaskPage) error {
	page.MayDelete = page.Card.Task.DeletableBy(site.Me(r))
	tags, err := h.tags.VisibleTo(r.Context(), site.Me(r).ID)
	for _, t := range tags {
		page.Tags = append(page.Tags, t.Name)
	}
	return err
}

// SaveTitle changes the video's title, or removes it if the field is empty. An htmx
// request gets the field.
func (h *Tasks) SaveTitle(w http.ResponseWriter, r *http.Request) error {
	page, err := h.page.finder.find(r)
	if err != nil {
		return err
	}
	title := libraryview.NewTitle("")
	valid := share.ReadTitle(r, &title)
	if !r.PostForm.Has("title") {
		return site.Unprocessable(noTitle)
	}
	page.Card.Task.Title, page.Card.Name = title.Value, ""
	if !valid {
		page.TitleError = title.Error
		return h.page.draw(w, r, http.StatusUnprocessableEntity, page)
	}
	if err := h.tasks.TitleTask(r.Context(), site.Me(r), page.Card.Task.ID, title.Value); err != nil {
		return err
	}
	return web.Part(w, r, http.StatusOK, libraryview.TitleField(page, true), func(w http.ResponseWriter, r *http.Request) error {
		return h.page.pages.BackTo(w, r, site.TaskPath(page.Card.Task.ID), site.Saved)
	})
}
