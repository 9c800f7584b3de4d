// Package video serves the page of one video: what it is, its notes, its takes and its
// cover.
package video

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/media"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/handlers/share"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// Video is the room of one video’s page.
type Video struct {
	accounts    *people.Accounts
	calls       *video.Calls
	cards       *site.Cards
	collections *video.Collections
	registry    *service.Registry
	files       *video.Files
	films       *site.Films
	guard       *site.Guard
	guests      *video.Guests
	uploads     *site.UploadLimits
	leases      *video.Leases
	lineage     *video.Lineage
	links       *video.Links
	lists       *wall.Lists
	log         *slog.Logger
	media       *media.Store
	named       *site.Named
	network     *site.Network
	notes       *video.Notes
	now         func() time.Time
	pages       *site.Pages
	search      *video.Search
	shares      *site.Shares
	sharing     *share.Links
	space       func(context.Context) (schedule.Space, error) // nil if it is not limited
	stored      *site.StoredFiles
	storing     sync.Mutex // held while a cover is stored
	tags        *video.Tags
	takes       *video.Takes
	tasks       *video.Tasks
	attempts    *site.Attempts
	vault       *secrets.Vault
	wake        func()
}

// New returns the room.
func New(s *site.Site, cards *site.Cards, lists *wall.Lists, sharing *share.Links) *Video {
	return &Video{
		accounts: s.Store.Accounts, calls: s.Store.Calls, cards: cards, collections: s.Store.Collections, registry: s.Registry,
		files: s.Store.Files, films: s.Films, guard: s.Guard, guests: s.Store.Guests, uploads: s.UploadLimits, leases: s.Store.Leases,
		lineage: s.Store.Lineage, links: s.Store.Links, lists: lists, log: s.Log, media: s.Media, named: s.Named, network: s.Network,
		notes: s.Store.Notes, now: s.Store.Now, pages: s.Pages, search: s.Store.Search, shares: s.Shares, sharing: sharing,
		space: s.Space, stored: s.StoredFiles, tags: s.Store.Tags, takes: s.Store.Takes, tasks: s.Store.Tasks,
		attempts: s.Attempts, vault: s.Vault, wake: s.Wake,
	}
}

// Routes returns the room's rows.
func (h *Video) Routes() []site.Route {
	signedIn, maker := h.guard.SignedIn, h.guard.Maker
	return []site.Route{
		site.On("GET /tasks/{id}", signedIn, h.Show, site.ForViewers).At("{film}", "{failed}").Gets(200, "{done}").
			OwnerGets(200, "{failed}").Gets(404, "99999", "x"),
		site.On("GET /tasks/{id}/status", signedIn, h.ShowStatus, site.ForViewers).At("{running}").Gets(200, "{done}").
			OwnerGets(200, "{failed}"),
		site.On("POST /tasks/{id}/title", maker, h.SaveTitle, site.ForMakers).Sends("{film}", "title=The+harbour").Gets(422, "{done}").
			OwnerGets(422, "{failed}"),
		site.On("POST /tasks/{id}/drop", maker, h.Drop, site.ForMakers).At("{failed}").OwnerGets(409, "{done}"),
		site.On("POST /tasks/{id}/leave", maker, h.Leave, site.ForMakers).At("{unconfirmed}").OwnerGets(409, "{done}"),
		site.On("POST /tasks/{id}/follow", maker, h.SaveServiceID, site.ForMakers).Sends("{unconfirmed}", "service_id={made}").
			OwnerGets(409, "{done}", "{failed}").Gets(404, "99999"),
		site.On("POST /tasks/{id}/keep", maker, h.Keep, site.ForMakers).At("{lost}").OwnerGets(409, "{done}"),
		site.On("POST /tasks/{id}/poster", maker, web.UpTo(maxCover, h.AddCover), site.ForMakers).Uploads("{film}", "", "poster").
			Gets(409, "{done}").OwnerGets(409, "{failed}"),
		site.On("POST /tasks/{id}/poster/remove", maker, h.RemoveCover, site.ForMakers).At("{film}").OwnerGets(409, "{done}"),
		site.On("GET /media/{id}", signedIn, site.ByID(h.ShowFile), site.ForViewers).At("{media}").
			Gets(404, "99999", "99999?share=nothing"),
		site.On("POST /tasks/{id}/stack", maker, h.SaveTake, site.ForMakers).Sends("{film}", "with={other}").Sends("{film}", "with=").
			Gets(303, "{done}").OwnerGets(303, "{failed}"),
		site.On("GET /tasks/{id}/share", signedIn, h.sharing.Show(h.shareable), site.ForViewers).At("{film}").Gets(200, "{done}").
			OwnerGets(200, "{failed}"),
		site.On("POST /tasks/{id}/share", maker, h.sharing.Make(h.shareable), site.ForMakers).
			Sends("{film}", "title=A+boat&days=30&may=look&password=harbour-47&download=on&welcome=Hello").Gets(409, "{done}").
			OwnerGets(409, "{failed}"),
		site.On("POST /shares/{id}", maker, site.ByID(h.ChangeLink), site.ForMakers).
			Sends("1", "title=Another&days=30&password=harbour-48&takes=on").Gets(404, "99999"),
		site.On("POST /shares/{id}/back", maker, site.ByID(h.ReopenLink), site.ForMakers).At("1").Gets(404, "99999"),
		site.On("POST /shares/{id}/guests/{guest}/remove", maker, site.ByID(h.RemoveGuest), site.ForMakers).At("3/{guest}").
			Gets(404, "99999/1"),
		site.On("POST /shares/{id}/takes", maker, site.ByID(h.AddTake), site.ForMakers).Sends("1", "task={other}").Gets(404, "99999"),
		site.On("POST /shares/{id}/revoke", maker, site.ByID(h.RevokeLink), site.ForMakers).At("1").Gets(404, "99999"),

		site.On("GET /tasks/{id}/notes", signedIn, h.ShowNotes, site.ForViewers).At("{film}?reply={note}").
			Gets(200, "{done}?reply=1&edit=1&at=0:01").OwnerGets(200, "{failed}"),
		site.On("POST /tasks/{id}/notes", signedIn, h.AddNote, site.ForViewers).Sends("{film}", "task={film}&at=100&body=Hello+@ada").
			Gets(422, "{done}").OwnerGets(409, "{failed}"),
		site.On("GET /tasks/{id}/notes.csv", signedIn, h.CSV, site.ForViewers).At("{film}").Gets(200, "{done}").OwnerGets(200, "{failed}"),
		site.On("GET /tasks/{id}/notes.edl", signedIn, h.EDL, site.ForViewers).At("{film}").Gets(200, "{done}").OwnerGets(200, "{failed}"),
		site.On("GET /tasks/{id}/notes.fcpxml", signedIn, h.FCPXML, site.ForViewers).At("{film}").Gets(200, "{done}").
			OwnerGets(200, "{failed}"),
		site.On("GET /notes", signedIn, h.ShowNoteList, site.ForViewers).At("", "?show=open").Gets(200, "", "?show=open", "?show=done"),
		site.On("GET /notes/people", signedIn, h.People, site.ForViewers).At("?q=").Gets(200, "?q="),
		site.On("POST /notes/seen", signedIn, h.SeeNotes, site.ForViewers),
		site.On("POST /notes/{id}", signedIn, site.ByID(h.ChangeNote), site.ForViewers).Sends("{note}", "body=Another").By("ada").
			Gets(404, "99999"),
		site.On("POST /notes/{id}/delete", signedIn, site.ByID(h.DeleteNote), site.ForViewers).At("{note}").Gets(404, "99999"),
		site.On("POST /notes/{id}/done", maker, site.ByID(h.CloseNote), site.ForMakers).At("{note}").Gets(404, "99999"),
	}
}

// Show shows the page of one video.
func (h *Video) Show(w http.ResponseWriter, r *http.Request) error {
	page, err := h.find(r)
	if err != nil {
		return err
	}
	page.Card.Task = h.stored.Marks(r.Context(), h.stored.Check(r.Context(), page.Card.Task))
	return h.draw(w, r, http.StatusOK, page)
}

// draw fills in what only the whole page needs, and renders it.
func (h *Video) draw(w http.ResponseWriter, r *http.Request, status int, page libraryview.TaskPage) (err error) {
	if err := h.fillPanel(r, &page); err != nil {
		return err
	}
	if page.Position, err = h.position(r, page.Card.Task.ID); err != nil {
		return err
	}
	return web.Part(w, r, status, libraryview.TaskStatus(page), func(w http.ResponseWriter, r *http.Request) error {
		return h.pages.Draw(w, r, status, page.Card.Title(), libraryview.ShowTask(page))
	})
}

// fillPanel fills in what the panel beside the video shows, and the service's raw answers, if
// they are asked for.
func (h *Video) fillPanel(r *http.Request, page *libraryview.TaskPage) (err error) {
	t, cards := page.Card.Task, []part.Card{page.Card}
	if err := h.cards.FillCast(r.Context(), cards); err != nil {
		return err
	}
	page.Card.Cast = cards[0].Cast
	if page.Card.Mine && r.URL.Query().Has(libraryview.WithAnswers) {
		if page.Answers, err = h.tasks.Answers(r.Context(), t.ID); err != nil {
			return err
		}
	}
	if err := h.fillCollections(r, page); err != nil {
		return err
	}
	decisions, err := h.readDecisions(r, t)
	if err != nil {
		return err
	}
	if page.Discussion, err = h.discussion(r, t, decisions); err != nil {
		return err
	}
	if page.NoteForm != nil {
		page.Discussion.Form = page.NoteForm
	}
	if page.Recipe, err = h.named.RecipeOf(r, t); err != nil {
		return err
	}
	if page.Lineage, err = h.relatives(r, t); err != nil {
		return err
	}
	return h.fillTakes(r, page, decisions)
}

// ShowStatus returns the part of the page that changes while the video is being made.
// Once it is finished, the panel beside it is included.
func (h *Video) ShowStatus(w http.ResponseWriter, r *http.Request) error {
	page, err := h.find(r)
	if err != nil {
		return err
	}
	page.Position.Filter = filterIn(r)
	if page.Card.Live() {
		return site.Poll(w, r, libraryview.TaskStatus(page))
	}
	if err := h.fillPanel(r, &page); err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, libraryview.TaskDone(page))
}

// Leave settles an unconfirmed video: it is not sent again.
func (h *Video) Leave(w http.ResponseWriter, r *http.Request) error {
	t, err := h.named.DecideTask(r)
	if err != nil {
		return err
	}
	return h.pages.SeeOther(w, r, site.TaskPath(t.ID), leftAsIs)
}

func (h *Video) find(r *http.Request) (libraryview.TaskPage, error) {
	t, err := h.named.Task(r)
	if err != nil {
		return libraryview.TaskPage{}, err
	}
	return h.page(r, t)
}

// page returns the page of the video, without what only the whole page needs.
func (h *Video) page(r *http.Request, t db.Task) (libraryview.TaskPage, error) {
	cards, err := h.cards.At(r, nil, []db.Task{t}) // the panel beside the video says what guests decided
	if err != nil {
		return libraryview.TaskPage{}, err
	}
	page := libraryview.TaskPage{Card: cards[0], Still: site.Me(r).Still, Uploads: h.network.CanFetchUploads()}
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
func (h *Video) RefuseNext(w http.ResponseWriter, r *http.Request, why string) error {
	page, err := h.find(r)
	if err != nil {
		return err
	}
	page.NextError = why
	return h.draw(w, r, http.StatusUnprocessableEntity, page)
}

// Drop ends a video that was not sent before the team changed the video service, of which
// nothing was paid, or all such videos of the same maker.
// If the form says so, it leads to the form that makes the video with the service that the
// team uses now; nothing is sent by itself.
func (h *Video) Drop(w http.ResponseWriter, r *http.Request) error {
	t, err := h.named.OwnTask(r)
	if err != nil {
		return err
	}
	if r.PostFormValue("all") != "" {
		return h.dropAll(w, r, t)
	}
	again, ended := r.PostFormValue("again") != "", false
	_, err = h.tasks.UpdateTask(r.Context(), t.ID, func(t *db.Task) error {
		if !h.registry.IsElsewhere(*t) {
			ended = t.State == db.Rejected && t.Message == switchedOver
			return notElsewhere(*t)
		}
		return t.Reject(db.NoError, switchedOver, db.Now())
	})
	if err != nil && !(again && ended) { // whoever pressed twice comes to the form, too
		return err
	}
	if again {
		return web.SeeOther(w, r, part.RetryPath(t))
	}
	return h.pages.SeeOther(w, r, site.TaskPath(t.ID), notMade)
}

func (h *Video) dropAll(w http.ResponseWriter, r *http.Request, t db.Task) error {
	n, err := h.tasks.EndElsewhere(r.Context(), t.UserID, switchedOver, db.Now())
	if err == nil && n == 0 {
		err = notElsewhere(t)
	}
	if err != nil {
		return err
	}
	return h.pages.SeeOther(w, r, site.TaskPath(t.ID), notMadeAll(n))
}

func notElsewhere(t db.Task) error {
	return fmt.Errorf("task %d is %s, and not of another service: %w", t.ID, t.State, db.ErrConflict)
}

// Keep tries again to save a video whose link had expired or whose file was lost here.
// If the service is still to be asked for a link, it is asked at once.
func (h *Video) Keep(w http.ResponseWriter, r *http.Request) error {
	t, err := h.named.OwnTask(r)
	if err != nil {
		return err
	}
	if t = h.stored.Check(r.Context(), t); t.Keeping == db.Kept {
		return h.pages.BackTo(w, r, site.TaskPath(t.ID), site.Saved)
	}
	if _, err := h.tasks.UpdateTask(r.Context(), t.ID, func(t *db.Task) error { return t.KeepAgain(db.Now()) }); err != nil {
		return err
	}
	h.wake()
	return web.SeeOther(w, r, site.TaskPath(t.ID))
}

func (h *Video) shareable(r *http.Request) (share.Shareable, error) {
	t, err := h.named.Task(r)
	return share.Shareable{Link: gallery.Share{TaskID: t.ID}, Path: site.TaskPath(t.ID), Able: t.PlayableFor(site.Me(r).ID)}, err
}

// position returns the video's position among those that the filter in the URL selects.
func (h *Video) position(r *http.Request, id int64) (libraryview.Position, error) {
	position := libraryview.Position{Filter: filterIn(r)}
	g, err := h.lists.Filter(r)
	if err == nil {
		g.Filter.Before, g.Filter.Through = 0, 0
		position.Most = g.Filter.MostCounted()
		position.Place, err = h.search.PlaceOf(r.Context(), g.Filter, id)
	}
	return position, err
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

// fillCollections fills in the collections that contain the video, and the tags.
func (h *Video) fillCollections(r *http.Request, page *libraryview.TaskPage) error {
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

// relatives returns the video that the task was made from, those made from it and those
// of its batch, as far as the viewer may see them.
func (h *Video) relatives(r *http.Request, t db.Task) (libraryview.Lineage, error) {
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
func (h *Video) fillTakes(r *http.Request, page *libraryview.TaskPage, s takeDecisions) error {
	if len(s.takes) < 2 {
		return nil
	}
	page.Takes.Cards, page.Takes.Approvals = h.smallCards(r, s.takes), s.byTask
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
func (h *Video) smallCards(r *http.Request, tasks []db.Task) []part.Card {
	var cards []part.Card
	for _, t := range tasks {
		cards = append(cards, h.cards.One(r, t))
	}
	return cards
}

// fillTags fills in the tags to choose from, and whether the viewer may delete the
// video.
func (h *Video) fillTags(r *http.Request, page *libraryview.TaskPage) error {
	page.MayDelete = page.Card.Task.DeletableBy(site.Me(r))
	tags, err := h.tags.VisibleTo(r.Context(), site.Me(r).ID)
	for _, t := range tags {
		page.Tags = append(page.Tags, t.Name)
	}
	return err
}

// SaveTitle changes the video's title, or removes it if the field is empty. An htmx
// request gets the field.
func (h *Video) SaveTitle(w http.ResponseWriter, r *http.Request) error {
	page, err := h.find(r)
	if err != nil {
		return err
	}
	title := libraryview.NewTitle()
	page.Title = &title
	valid := site.ReadForm(r, page.Title)
	if !r.PostForm.Has("title") {
		return site.Unprocessable(noTitle)
	}
	page.Card.Task.Title, page.Card.Name = page.Title.Value, ""
	if !valid {
		return h.draw(w, r, http.StatusUnprocessableEntity, page)
	}
	if err := h.tasks.TitleTask(r.Context(), site.Me(r), page.Card.Task.ID, page.Title.Value); err != nil {
		return err
	}
	return web.Part(w, r, http.StatusOK, libraryview.TitleField(page, true), func(w http.ResponseWriter, r *http.Request) error {
		return h.pages.BackTo(w, r, site.TaskPath(page.Card.Task.ID), site.Saved)
	})
}
