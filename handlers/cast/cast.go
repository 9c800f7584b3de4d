// Package cast serves the people and things that a team’s videos show again and again.
package cast

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/store/video"
	"dailies/handlers/form"
	"dailies/handlers/picture"
	"dailies/handlers/site"
	"dailies/handlers/wall"
	createview "dailies/views/create"
	"dailies/web"
)

// Cast is the room of the people and things that a team’s videos show again and again.
type Cast struct {
	flashes  *site.Flashes
	guard    *site.Guard
	lists    *wall.Lists
	making   *form.Making
	members  *video.Cast
	network  *site.Network
	pages    *site.Pages
	pictures *picture.Pictures
	typed    *site.TypedForms
}

// New returns the room.
func New(s *site.Site, making *form.Making, lists *wall.Lists) *Cast {
	return &Cast{
		flashes: s.Flashes, guard: s.Guard, lists: lists,
		making: making, members: s.Store.Cast, network: s.Network, pages: s.Pages, pictures: making.Pictures, typed: s.TypedForms,
	}
}

// Routes returns the room's rows.
func (h *Cast) Routes() []site.Route {
	signedIn, maker := h.guard.SignedIn, h.guard.Maker
	return []site.Route{
		site.On("GET /cast", signedIn, h.List, site.ForViewers).At("?q=an").Gets(200, "?q=an&kind=person&page=2"),
		site.On("GET /cast/find", signedIn, h.Find, site.ForViewers).At("?q=an").Gets(200, "?q=an"),
		site.On("GET /cast/new", maker, h.New, site.ForMakers),
		site.On("POST /cast/new", maker, web.UpTo(picture.MaxUpload, h.Add), site.ForMakers).
			Sends("", "handle=cup&name=Red+cup&kind=product&picture={picture address}"),
		site.On("GET /cast/{id}", signedIn, site.ByID(h.Show), site.ForViewers).At("{member}").Gets(200, "{member}").
			Gets(404, "99999", "x"),
		site.On("POST /cast/{id}", maker, web.UpTo(picture.MaxUpload, site.ByID(h.Save)), site.ForMakers).
			Sends("{member}", "version=1&handle=ana&name=Ana&kind=person&picture={picture address}").
			Gets(409, "{member}").Gets(404, "99999"), // it lacks its version
		site.On("GET /cast/{id}/edit", maker, site.ByID(h.Edit), site.ForMakers).At("{member}").Gets(200, "{member}").Gets(404, "99999"),
		site.On("POST /cast/{id}/delete", maker, site.ByID(h.Delete), site.ForMakers).At("{member}").Gets(404, "99999"),
		site.On("POST /cast/{id}/restore", maker, site.ByID(h.Restore), site.ForMakers).At("{deleted member}").Gets(303, "{member}"),
	}
}

const (
	perCast   = 60 // portraits on a page
	mostAt    = 8  // members in the list for an @
	mostTyped = 100
)

// List shows the portraits of those who fit what was typed (?q=) and are of the kind (?kind=).
func (h *Cast) List(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	page := createview.CastPage{Query: site.Clip(site.PlainText(q.Get("q")), mostTyped), Kind: kindOf(q), Many: map[cast.Kind]int{}}
	all, err := h.members.List(r.Context())
	if err != nil {
		return err
	}
	for _, m := range all {
		page.Many[m.Kind]++
	}
	found := all
	if page.Query != "" || page.Kind != "" {
		if found, err = h.members.Find(r.Context(), page.Query, page.Kind); err != nil {
			return err
		}
	}
	page.Found = len(found)
	page.Page = max(1, int(site.ParseID(q.Get("page"))))
	from := min(len(found), (page.Page-1)*perCast)
	page.Members = found[from:min(len(found), from+perCast)]
	page.More = len(found) > from+perCast
	var ids []int64
	for _, m := range page.Members {
		ids = append(ids, m.ID)
	}
	if page.Uses, err = h.members.Uses(r.Context(), site.Me(r).ID, ids); err != nil {
		return err
	}
	makes := site.Me(r).Makes()
	return web.Part(w, r, http.StatusOK, createview.CastList(page, makes), func(w http.ResponseWriter, r *http.Request) error {
		if page.Deleted, err = h.members.Deleted(r.Context()); err != nil {
			return err
		}
		return h.pages.Draw(w, r, http.StatusOK, "Cast", createview.ShowCast(page))
	})
}

// kindOf returns the kind in the values; empty if there is none.
func kindOf(v url.Values) cast.Kind {
	if k := cast.Kind(v.Get("kind")); k.Valid() {
		return k
	}
	return ""
}

// Find lists the members that fit what was typed after an @ (?q=).
func (h *Cast) Find(w http.ResponseWriter, r *http.Request) error {
	found, err := h.members.Find(r.Context(), site.Clip(site.PlainText(r.URL.Query().Get("q")), mostTyped), "")
	if err != nil {
		return err
	}
	return web.Fragment(w, r, http.StatusOK, createview.FoundCast(found[:min(mostAt, len(found))]))
}

// Delete deletes a member, and offers to undo that.
func (h *Cast) Delete(w http.ResponseWriter, r *http.Request, id int64) error {
	m, err := h.members.Get(r.Context(), id)
	if err == nil {
		err = h.members.Delete(r.Context(), id, site.Me(r).ID, db.Now())
	}
	if errors.Is(err, video.ErrMemberDeleted) {
		return h.pages.SeeOther(w, r, castPath(id), memberGone)
	}
	if err != nil {
		return err
	}
	if err := h.pages.LeaveChange(w, r, castPath(id)+"/restore", url.Values{}); err != nil {
		return err
	}
	return h.pages.SeeOther(w, r, "/cast", memberDeleted(m))
}

// Restore brings a deleted member back.
func (h *Cast) Restore(w http.ResponseWriter, r *http.Request, id int64) error {
	err := h.members.Restore(r.Context(), id, db.Now())
	switch {
	case errors.Is(err, video.ErrHandleTaken):
		return &web.Error{Status: http.StatusConflict, Message: handleTaken}
	case errors.Is(err, db.ErrFull):
		return &web.Error{Status: http.StatusUnprocessableEntity, Message: castFull}
	case errors.Is(err, db.ErrConflict): // it was restored before
		return web.SeeOther(w, r, castPath(id))
	case err != nil:
		return err
	}
	return h.pages.SeeOther(w, r, castPath(id), memberRestored)
}

func castPath(id int64) string { return "/cast/" + strconv.FormatInt(id, 10) }

// versionOf returns the version that the form was made with.
func versionOf(v url.Values) int64 {
	version, _ := strconv.ParseInt(v.Get("version"), 10, 64)
	return version
}
