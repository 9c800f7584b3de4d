package video_test

import (
	"errors"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/store/suite"
)

func TestTheContentOfAFilmIsReadOnce(t *testing.T) {
	s, raw := suite.OpenRaw(t)
	ann := suite.AddUser(t, s, "Ann")
	id := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day).ID
	known := db.Film{Read: true, Format: db.MP4, Video: "hvc1.1.6.L30.90", Sound: "mp4a.40.2", Width: 64, Height: 36, Rotation: 90, Frames: 24, Length: 1000, Varies: true}
	task, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		return t.Keep([]db.Media{
			{Kind: db.Video, Hash: "a", Film: known, CreatedAt: suite.Day},
			{Kind: db.Video, Position: 1, Hash: "b", CreatedAt: suite.Day}, // as an earlier version stores it
			{Kind: db.Cover, Hash: "c", CreatedAt: suite.Day},
		}, true)
	})
	must(t, err)
	of := func(i int) db.Media {
		t.Helper()
		m, _, err := s.Files.Media(t.Context(), task.Media[i].ID)
		must(t, err)
		return m
	}
	if of(0).Film != known || of(1).Film != (db.Film{}) {
		t.Errorf("stored are %+v and %+v", of(0).Film, of(1).Film)
	}
	m, err := s.Files.ClaimFilm(t.Context(), suite.Day, suite.Day.Add(time.Minute))
	if must(t, err); m.Hash != "b" {
		t.Errorf("claimed is %+v", m)
	}
	if _, err := s.Files.ClaimFilm(t.Context(), suite.Day, suite.Day.Add(time.Minute)); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("a second process gets %v", err)
	}
	m, err = s.Files.ClaimFilm(t.Context(), suite.Day.Add(time.Minute), suite.Day.Add(2*time.Minute))
	if must(t, err); m.Hash != "b" {
		t.Errorf("when the lease has ended, claimed is %+v", m)
	}
	other := m
	other.Hash, other.Film = "another", known
	must(t, s.Files.SetFilm(t.Context(), other)) // the file was replaced meanwhile
	if got := of(1).Film; got.Read {
		t.Errorf("the content of another file became %+v", got)
	}
	m.Film = db.Film{Read: true, Format: db.WebM, Video: "vp8"}
	must(t, s.Files.SetFilm(t.Context(), m))
	if of(1).Film != m.Film {
		t.Errorf("stored is %+v", of(1).Film)
	}
	// An earlier version beside this one replaces a file without a word on its content.
	_, err = raw.Exec(`UPDATE media SET hash = 'd' WHERE hash = 'a'`)
	must(t, err)
	m, err = s.Files.ClaimFilm(t.Context(), suite.Day.Add(time.Hour), suite.Day.Add(2*time.Hour))
	if must(t, err); m.Hash != "d" || m.Film.Read {
		t.Errorf("claimed is %+v", m)
	}
}

func TestMarksBelongToTheContentOfAFile(t *testing.T) {
	h := suite.NewTeam(t)
	id := suite.Bring(t, h.Store, suite.AddTask(t, h.Store, h.Ann.ID, "a boat").ID, db.Success, suite.Day).ID
	task, err := h.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: "h", Marks: db.LabelMark, ServedHash: "hash of what came", CreatedAt: suite.Day}}, true)
	})
	must(t, err)
	of := func() db.Media {
		t.Helper()
		m, _, err := h.Files.Media(t.Context(), task.Media[0].ID)
		must(t, err)
		return m
	}
	m := of()
	if m.Marks != db.LabelMark || m.ServedHash != "hash of what came" {
		t.Errorf("stored are %+v", m)
	}
	m.Marks = db.CredentialsMark
	must(t, h.Files.SetMarks(t.Context(), m))
	if got := of().Marks; got != db.CredentialsMark {
		t.Errorf("the marks are %q", got)
	}
	other := m
	other.Hash, other.Marks = "another", db.NoMarks
	must(t, h.Files.SetMarks(t.Context(), other)) // the file was replaced meanwhile
	if got := of().Marks; got != db.CredentialsMark {
		t.Errorf("the marks of another file became %q", got)
	}
}
