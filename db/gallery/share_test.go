package gallery_test

import (
	"testing"
	"time"

	"dailies/db"
	"dailies/db/gallery"
)

func TestLinkShowsOnlyWhatItMay(t *testing.T) {
	now := time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)
	const ann, bo = 1, 2
	bos := gallery.Share{TaskID: 7, CreatedBy: bo, ExpiresAt: now.Add(time.Hour)}
	anns := gallery.Share{TaskID: 7, CreatedBy: ann, ExpiresAt: now.Add(time.Hour)}
	whole := gallery.Share{CollectionID: 3, CreatedBy: ann, ExpiresAt: now.Add(time.Hour)}
	video := db.Task{ID: 7, UserID: ann, State: db.Success}
	private, binned, purged, failed, other := video, video, video, video, video
	private.Private = true
	binned.DeletedAt = now
	purged.PurgedAt = now
	failed.State = db.Failed
	other.ID, other.Private = 8, true
	revoked, over := bos, bos
	revoked.RevokedAt = now.Add(-time.Hour)
	over.ExpiresAt = now
	for name, tt := range map[string]struct {
		s    gallery.Share
		t    db.Task
		want bool
	}{
		"a colleague's link":                           {bos, video, true},
		"a collection's link":                          {whole, video, true},
		"one that was taken back":                      {revoked, video, false},
		"one that has ended":                           {over, video, false},
		"a private video, by its maker":                {anns, private, true},
		"a private video, by a colleague":              {bos, private, false},
		"a private video in its maker's collection":    {whole, private, false},
		"another private video of the maker's":         {anns, other, false},
		"a video in the bin":                           {anns, binned, false},
		"a video that is gone for good":                {anns, purged, false},
		"a video that did not work":                    {anns, failed, false},
		"a video in the bin, in somebody's collection": {whole, binned, false},
	} {
		if got := tt.s.Shows(tt.t, now); got != tt.want {
			t.Errorf("%s: shown is %v", name, got)
		}
	}
}

func TestWhoMayShareAVideo(t *testing.T) {
	const ann, bo = 1, 2
	video := db.Task{ID: 7, UserID: ann, State: db.Success, Files: db.Files{Media: []db.Media{{Kind: db.Video}}}}
	private, binned, lost := video, video, video
	private.Private = true
	binned.DeletedAt = time.Now()
	lost.Media = []db.Media{{Kind: db.Cover}}
	for name, tt := range map[string]struct {
		t       db.Task
		ann, bo bool
	}{
		"the team's":  {video, true, true},
		"a private":   {private, true, false},
		"in the bin":  {binned, false, false},
		"not kept":    {lost, false, false},
		"unconfirmed": {db.Task{UserID: ann, State: db.Unconfirmed}, false, false},
	} {
		if a, b := tt.t.PlayableFor(ann), tt.t.PlayableFor(bo); a != tt.ann || b != tt.bo {
			t.Errorf("%s: its maker %v, another %v", name, a, b)
		}
	}
}

func TestWhoMayTakeALinkBack(t *testing.T) {
	ann, bo, cy, root := db.User{ID: 1}, db.User{ID: 2}, db.User{ID: 3}, db.User{ID: 4, Role: db.Admin}
	bosLink := gallery.Share{TaskID: 7, CreatedBy: bo.ID, Video: db.Task{ID: 7, UserID: ann.ID}}
	whole := gallery.Share{CollectionID: 3, CreatedBy: bo.ID}
	for _, tt := range []struct {
		s    gallery.Share
		u    db.User
		want bool
	}{
		{bosLink, ann, true}, {bosLink, bo, true}, {bosLink, cy, false}, {bosLink, root, true},
		{whole, ann, false}, {whole, bo, true}, {whole, cy, false}, {whole, root, true},
	} {
		if got := tt.s.RevocableBy(tt.u); got != tt.want {
			t.Errorf("%+v by %d: %v", tt.s, tt.u.ID, got)
		}
	}
}

func TestATitleThatBeginsThePromptIsFound(t *testing.T) {
	const prompt = "A red kite  over\nthe sea"
	for title, want := range map[string]bool{
		"A red kite": true, "A red  kite over the": true, "A red kite…": true, "A red kite ...": true, prompt: true,
		"": false, "…": false, "  ": false, "The sea": false, "A red kite at noon": false,
	} {
		if got := gallery.BeginsPrompt(title, prompt); got != want {
			t.Errorf("%q: %v", title, got)
		}
	}
}

func TestEachRightIncludesThoseBefore(t *testing.T) {
	for may, want := range map[gallery.GuestPermission][3]bool{
		gallery.Look: {true, false, false}, gallery.Talk: {true, true, false}, gallery.Decide: {true, true, true}, "": {}, "all": {},
	} {
		for i, needs := range gallery.GuestPermissions() {
			if got := may.Allows(needs); got != want[i] {
				t.Errorf("%q allows %q: %v", may, needs, got)
			}
		}
	}
	if gallery.Decide.Allows("all") || gallery.GuestPermission("").Allows("") {
		t.Error("something unknown is allowed")
	}
}
