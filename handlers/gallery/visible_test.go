package gallery_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

// TestWhoSeesWhatIsOneRule requests every kind of video, as every kind of user, by
// every route that leads to it, and checks every list and count.
func TestWhoSeesWhatIsOneRule(t *testing.T) {
	h := handlerstest.New(t)
	admin := h.Founder(t)
	maker, other := h.Joiner(t, admin, "Maker"), h.Joiner(t, admin, "Other")
	stranger := h.Stranger(t)
	users, err := h.Store.Accounts.Users(t.Context())
	must(t, err)
	ids := map[*handlerstest.Browser]int64{admin: users[0].ID, maker: users[1].ID, other: users[2].ID}
	videos := map[string]db.Task{}
	for name, change := range map[string]func(*db.Task){
		"finished":         func(*db.Task) {},
		"private":          func(t *db.Task) { t.Private = true },
		"failed":           func(t *db.Task) { t.State, t.Media, t.Keeping = db.Failed, nil, "" },
		"deleted":          func(t *db.Task) { t.DeletedAt, t.DeletedBy = db.Now(), ids[maker] },
		"private, deleted": func(t *db.Task) { t.Private, t.DeletedAt, t.DeletedBy = true, db.Now(), ids[maker] },
		"gone for good":    func(t *db.Task) { t.DeletedAt, t.PurgedAt = db.Now().Add(-time.Hour), db.Now() },
	} {
		video := h.Film(t, ids[maker], handlerstest.Saying(name))
		if name == "failed" {
			video = h.AddTask(t, ids[maker], db.Failed)
		}
		video, err = h.Store.Tasks.UpdateTask(t.Context(), video.ID, func(t *db.Task) error {
			t.Model = "model of " + strings.ReplaceAll(name, ",", "")
			change(t)
			return nil
		})
		must(t, err)
		videos[name] = video
	}
	second := h.Film(t, ids[admin], handlerstest.Saying("to compare with"))
	collection := h.AddCollection(t, ids[admin])
	for name, video := range videos {
		for who, p := range map[string]*handlerstest.Browser{"its maker": maker, "a colleague": other, "an admin": admin, "a stranger": stranger} {
			sees := p != stranger && video.VisibleTo(ids[p])
			lists := p != stranger && video.ListedFor(ids[p])
			plays := p != stranger && video.PlayableFor(ids[p])
			id := fmt.Sprint(video.ID)
			check := func(what string, got, want bool) {
				t.Helper()
				if got != want {
					t.Errorf("%s, %s, %s: %t, want %t", name, who, what, got, want)
				}
			}
			found := func(path string) bool { return p.Get(path).StatusCode == http.StatusOK }
			check("its page", found("/tasks/"+id), sees)
			check("its state", found("/tasks/"+id+"/status"), sees)
			check("how it was made", found("/tasks/"+id+"/recipe"), sees)
			for _, m := range video.Media {
				check("its file", found(fmt.Sprint("/media/", m.ID)), sees)
			}
			check("the archive", found("/tasks/download?id="+id), lists)
			check("the comparison", strings.Contains(p.Get("/compare?id="+id+"&id="+fmt.Sprint(second.ID)).Text, player(video)), plays)
			model := url.QueryEscape(video.Model)
			check("the gallery", strings.Contains(p.Get("/gallery?status=all&model="+model).Text, `id="task-`+id+`"`), lists)
			check("the count", strings.Contains(p.Get("/gallery?status=all&model="+model).Text, "1 video found"), lists)
			check("the menu", strings.Contains(p.Get("/gallery/counts?status=all&menu=model").Text, video.Model), lists)
			check("a picture from a browser", p.SendPoster(t, video.ID, nil).StatusCode != http.StatusNotFound && p != stranger, sees)
			if p == stranger {
				continue
			}
			check("a new link", p.Post("/tasks/"+id+"/share", url.Values{"days": {"7"}}).StatusCode == http.StatusSeeOther, plays)
			added, err := h.Store.Collections.AddToCollection(t.Context(), collection.ID, ids[p], []int64{video.ID}, db.Now())
			must(t, err)
			c, err := h.Store.Collections.Collection(t.Context(), ids[p], collection.ID)
			must(t, err)
			check("a collection", added == 1 && c.Count == 1, lists)
			_, err = h.Store.Collections.RemoveFromCollection(t.Context(), collection.ID, ids[p], []int64{video.ID}, db.Now())
			must(t, err)
		}
	}
}
