package video_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/store/suite"
)

// made adds a finished video of the maker with a stored file, made from another one.
func (h pair) made(t *testing.T, maker, parent int64, reuse db.Reuse) db.Task {
	t.Helper()
	task := suite.NewTask(maker, "a scene")
	task.ParentID, task.Reuse = parent, reuse
	suite.Queue(t, h.Store, &task)
	id := suite.Bring(t, h.Store, task.ID, db.Success, suite.Day).ID
	task, err := h.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: fmt.Sprint("hash ", id), CreatedAt: suite.Day}}, true)
	})
	must(t, err)
	return task
}

// waitingOn returns the IDs of the videos about which guests have to decide, as the gallery
// finds them, and checks that the labels of videos say the same.
func (h pair) waitingOn(t *testing.T) []int64 {
	t.Helper()
	f := gallery.Filter{Viewer: h.Bo.ID, Now: suite.Day, Limit: 100}
	all := h.find(t, f)
	f.Answers = []review.Answer{review.Waiting}
	found := h.find(t, f)
	f.Makers = []int64{h.Ann.ID, h.Bo.ID} // read from another index, and checked
	suite.Same(t, h.find(t, f), found)
	approvals, err := h.Guests.Approvals(t.Context(), all, suite.Day)
	must(t, err)
	var labelled []int64
	for _, id := range all {
		if approvals[id].Answer() == review.Waiting {
			labelled = append(labelled, id)
		}
	}
	slices.Sort(labelled)
	slices.Sort(found)
	suite.Same(t, labelled, found)
	return found
}

// A link shows takes by one rule, whatever it is a link to; and guests are asked about those
// that it shows, and about no others.
func TestLinksShowTakesByOneRule(t *testing.T) {
	for _, of := range []gallery.LinkTarget{gallery.OfVideo, gallery.OfCollection, gallery.OfStory} {
		t.Run(fmt.Sprint("link to ", of), func(t *testing.T) {
			h := newTeam(t)
			first := h.made(t, h.Bo.ID, 0, db.NoReuse)
			scene := h.made(t, h.Bo.ID, first.ID, db.Continued)
			second := h.made(t, h.Bo.ID, first.ID, db.Answered)
			private, anns := h.made(t, h.Bo.ID, first.ID, db.Copied), h.made(t, h.Ann.ID, first.ID, db.Copied)
			for _, task := range []db.Task{private, anns} {
				_, err := h.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error { t.Private = true; return nil })
				must(t, err)
			}
			h.from(t, h.Bo.ID, first.ID, db.Answered, "", db.Pending)
			link := func(takes bool) gallery.Share {
				t.Helper()
				share := gallery.Share{Token: secrets.NewToken(), TaskID: first.ID, Story: of == gallery.OfStory, Takes: takes, May: gallery.Decide, CreatedBy: h.Bo.ID, CreatedAt: suite.Day.Add(-time.Minute), ExpiresAt: suite.Day.Add(time.Hour)}
				if of == gallery.OfCollection {
					c := gallery.Collection{Name: fmt.Sprint(takes), CreatedBy: h.Bo.ID, CreatedAt: suite.Day, ChangedAt: suite.Day}
					must(t, h.Collections.AddCollection(t.Context(), &c))
					_, err := h.Collections.AddToCollection(t.Context(), c.ID, h.Bo.ID, []int64{first.ID, scene.ID}, suite.Day)
					must(t, err)
					share.TaskID, share.CollectionID = 0, c.ID
				}
				must(t, h.Links.AddShare(t.Context(), &share))
				return share
			}
			shown := func(share gallery.Share) []int64 {
				t.Helper()
				share, videos, err := h.Links.OpenShare(t.Context(), share.Token, gallery.Opening{}, suite.Day)
				must(t, err)
				takes, err := h.Links.TakesOn(t.Context(), share, videos, suite.Day)
				must(t, err)
				for _, task := range []db.Task{first, second, private, anns} {
					_, err := h.Links.SharedMedia(t.Context(), share.Token, task.Media[0].ID, suite.Day)
					is := task.ID == first.ID || slices.Contains(suite.IDs(takes[first.ID].Tasks), task.ID)
					if is != (err == nil) {
						t.Errorf("the file of %d: %v", task.ID, err)
					}
					if _, _, err := h.Links.VideoOn(t.Context(), share.Token, task.ID, suite.Day); is != (err == nil) {
						t.Errorf("video %d: %v", task.ID, err)
					}
				}
				var beside []int64
				for _, f := range videos.Files {
					if f.Of == first.ID {
						beside = append(beside, f.TaskID)
					}
				}
				if of == gallery.OfCollection && !slices.Equal(beside, slices.DeleteFunc(suite.IDs(takes[first.ID].Tasks), func(id int64) bool { return id == first.ID })) {
					t.Errorf("beside it are %v, want those of %v", beside, suite.IDs(takes[first.ID].Tasks))
				}
				if of := takes[first.ID]; len(of.Tasks) > 0 && of.First != len(of.Tasks)-1 {
					t.Errorf("a visit begins with take %d of %d", of.First+1, len(of.Tasks))
				}
				return suite.IDs(takes[first.ID].Tasks)
			}
			also := []int64{scene.ID} // what else the link shows
			if of == gallery.OfVideo {
				also = nil
			}

			closed := link(false)
			suite.Same(t, shown(closed), nil)
			suite.Same(t, h.waitingOn(t), append([]int64{first.ID}, also...))
			open := link(true)
			mara := suite.AddGuest(t, h.Store, open.ID, "Mara")
			suite.Same(t, shown(open), []int64{first.ID, second.ID})
			suite.Same(t, h.waitingOn(t), slices.Sorted(slices.Values(append([]int64{first.ID, second.ID}, also...))))
			is, err := h.Guests.Approvals(t.Context(), []int64{second.ID, private.ID}, suite.Day)
			if must(t, err); len(is[second.ID].Silent) != 1 || is[second.ID].Silent[0].ID != mara.ID || is[private.ID].IsAsked() {
				t.Errorf("%+v", is)
			}

			// What a link does not show is shown with one press.
			without, err := h.Links.LinksWithout(t.Context(), second, suite.Day)
			if must(t, err); len(without) != 1 || without[0].ID != closed.ID {
				t.Errorf("%+v", without)
			}
			for id, want := range map[int64]error{first.ID: db.ErrConflict, scene.ID: db.ErrConflict, anns.ID: db.ErrConflict, h.Bos: db.ErrConflict, second.ID: nil} {
				if err := h.Links.ShowTake(t.Context(), h.Bo, closed.ID, id, suite.Day); !errors.Is(err, want) {
					t.Errorf("%d: %v, want %v", id, err, want)
				}
			}
			suite.Same(t, shown(closed), []int64{first.ID, second.ID})
			if without, err = h.Links.LinksWithout(t.Context(), second, suite.Day); err != nil || len(without) > 0 {
				t.Errorf("%+v, %v", without, err)
			}
			// A private take can be shown by its maker, on a link to this one video.
			if err := h.Links.ShowTake(t.Context(), h.Bo, closed.ID, private.ID, suite.Day); (err == nil) != (of == gallery.OfVideo) {
				t.Error(err)
			}
			if of == gallery.OfVideo {
				suite.Same(t, shown(closed), []int64{first.ID, second.ID, private.ID})
				suite.Same(t, h.waitingOn(t), []int64{first.ID, second.ID, private.ID})
			}

			// An answer is about one take.
			must(t, h.Links.RevokeShare(t.Context(), closed.ID, suite.Day))
			must(t, h.Guests.Decide(t.Context(), review.Verdict{TaskID: second.ID, ShareID: open.ID, Guest: mara, Answer: review.Approved, ChangedAt: suite.Day}))
			suite.Same(t, h.waitingOn(t), append([]int64{first.ID}, also...))
			must(t, h.Links.RevokeShare(t.Context(), open.ID, suite.Day))
			suite.Same(t, h.waitingOn(t), nil)
			if _, err := h.Links.SharedMedia(t.Context(), open.Token, second.Media[0].ID, suite.Day); !errors.Is(err, db.ErrNotFound) {
				t.Error(err)
			}
		})
	}
}

// A take that is a video of the link itself is not shown a second time.
func TestTakesWithAPlaceOfTheirOwnAreNotShownTwice(t *testing.T) {
	h := newTeam(t)
	first := h.made(t, h.Bo.ID, 0, db.NoReuse)
	second, third := h.made(t, h.Bo.ID, first.ID, db.Copied), h.made(t, h.Bo.ID, first.ID, db.Copied)
	c := gallery.Collection{Name: "Fair", CreatedBy: h.Bo.ID, CreatedAt: suite.Day, ChangedAt: suite.Day}
	must(t, h.Collections.AddCollection(t.Context(), &c))
	_, err := h.Collections.AddToCollection(t.Context(), c.ID, h.Bo.ID, []int64{first.ID, second.ID}, suite.Day)
	must(t, err)
	share := gallery.Share{Token: secrets.NewToken(), CollectionID: c.ID, Takes: true, CreatedBy: h.Bo.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour)}
	must(t, h.Links.AddShare(t.Context(), &share))
	share, videos, err := h.Links.OpenShare(t.Context(), share.Token, gallery.Opening{}, suite.Day)
	must(t, err)
	takes, err := h.Links.TakesOn(t.Context(), share, videos, suite.Day)
	must(t, err)
	suite.Same(t, suite.IDs(takes[first.ID].Tasks), []int64{first.ID, third.ID})
	suite.Same(t, suite.IDs(takes[second.ID].Tasks), []int64{second.ID, third.ID})
	if err := h.Links.ShowTake(t.Context(), h.Bo, share.ID, second.ID, suite.Day); !errors.Is(err, db.ErrConflict) {
		t.Errorf("%v", err)
	}
}

// A long collection is opened in parts. A guest of its link sees every video of it, a take beside
// one, and nothing else, wherever they begin.
func TestALinkOpensALongCollectionInParts(t *testing.T) {
	h := newTeam(t)
	var ids []int64
	files := map[int64]int64{}
	for range 2*gallery.PerCollection + 2 {
		task := h.made(t, h.Bo.ID, 0, db.NoReuse)
		ids, files[task.ID] = append(ids, task.ID), task.Media[0].ID
	}
	slices.Reverse(ids)
	c := gallery.Collection{Name: "Fair", CreatedBy: h.Bo.ID, CreatedAt: suite.Day, ChangedAt: suite.Day}
	must(t, h.Collections.AddCollection(t.Context(), &c))
	_, err := h.Collections.AddToCollection(t.Context(), c.ID, h.Bo.ID, ids, suite.Day)
	must(t, err)
	take := h.made(t, h.Bo.ID, ids[60], db.Copied)
	share := gallery.Share{Token: secrets.NewToken(), CollectionID: c.ID, Takes: true, CreatedBy: h.Bo.ID, CreatedAt: suite.Day.Add(-time.Minute), ExpiresAt: suite.Day.Add(time.Hour)}
	must(t, h.Links.AddShare(t.Context(), &share))
	private := ids[3] // closed to guests
	_, err = h.Tasks.UpdateTask(t.Context(), private, func(t *db.Task) error { t.Private = true; return nil })
	must(t, err)
	ids = slices.Delete(ids, 3, 4)
	const most = gallery.PerCollection
	for _, tt := range []struct {
		at   gallery.Opening
		from int
		last int64
	}{
		{gallery.Opening{}, 0, ids[most-1]},
		{gallery.Opening{After: ids[most-1]}, most, ids[2*most-1]},
		{gallery.Opening{After: ids[2*most-1]}, 2 * most, 0},
		{gallery.Opening{After: ids[len(ids)-1]}, 0, ids[most-1]},
		{gallery.Opening{After: ids[4]}, 5, ids[4+most]},
		{gallery.Opening{After: private}, 0, ids[most-1]},
		{gallery.Opening{Task: ids[2*most]}, 2 * most, 0},
		{gallery.Opening{File: files[ids[most]], After: ids[2]}, most, ids[2*most-1]},
		{gallery.Opening{Task: take.ID}, most, ids[2*most-1]},
		{gallery.Opening{File: take.Media[0].ID}, most, ids[2*most-1]},
		{gallery.Opening{File: files[private]}, 0, ids[most-1]},
	} {
		_, shown, err := h.Links.OpenShare(t.Context(), share.Token, tt.at, suite.Day)
		must(t, err)
		suite.Same(t, shown.IDs, ids)
		if want := ids[tt.from:min(tt.from+most, len(ids))]; shown.From != tt.from || shown.Last() != tt.last || !slices.Equal(suite.IDs(shown.Tasks), want) {
			t.Errorf("%+v begins with %d of %v, before %d; want %d of %v, before %d", tt.at, shown.From, suite.IDs(shown.Tasks), shown.Last(), tt.from, want, tt.last)
		}
	}
	for id, want := range map[int64]bool{ids[0]: true, ids[len(ids)-1]: true, take.ID: true, private: false, 4711: false} {
		_, found, err := h.Links.VideoOn(t.Context(), share.Token, id, suite.Day)
		if (err == nil) != want || want && found.ID != id || err != nil && !errors.Is(err, db.ErrNotFound) {
			t.Errorf("video %d: %v", id, err)
		}
	}
	_, err = h.Bin.DeleteTasks(t.Context(), h.Bo, ids, suite.Day)
	must(t, err)
	_, shown, err := h.Links.OpenShare(t.Context(), share.Token, gallery.Opening{Task: ids[0]}, suite.Day)
	must(t, err)
	if len(shown.IDs)+len(shown.Tasks)+len(shown.Files) > 0 {
		t.Errorf("%+v", shown)
	}
}
