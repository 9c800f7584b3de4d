package sqlite_test

import (
	"strings"
	"testing"
	"time"

	"dailies/db"
)

func newPicture(userID int64, hash string, at time.Time) db.Picture {
	return db.Picture{
		UserID: userID, Token: db.NewToken(), Hash: strings.Repeat(hash, 64), Type: "image/jpeg", Size: 12_345,
		Width: 1200, Height: 800, Name: "harbour.jpg", CreatedAt: at,
	}
}

func TestAPictureIsKeptOnceForEachPerson(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	first := newPicture(ann.ID, "a", day)
	must(t, s.AddPicture(t.Context(), &first))
	other := newPicture(ann.ID, "b", day.Add(time.Minute))
	must(t, s.AddPicture(t.Context(), &other))
	got, err := s.Picture(t.Context(), first.Token)
	must(t, err)
	same(t, got, first)

	again := newPicture(ann.ID, "a", day.Add(time.Hour))
	must(t, s.AddPicture(t.Context(), &again))
	if again.ID != first.ID || again.Token != first.Token {
		t.Errorf("uploaded again it is %+v, not %+v", again, first)
	}
	list, err := s.Pictures(t.Context(), ann.ID, 10)
	must(t, err)
	same(t, list, []db.Picture{again, other})

	hers := newPicture(bo.ID, "a", day)
	must(t, s.AddPicture(t.Context(), &hers))
	if hers.ID == first.ID || hers.Token == first.Token {
		t.Error("two people share one address")
	}
	list, err = s.Pictures(t.Context(), ann.ID, 1)
	must(t, err)
	same(t, list, []db.Picture{again})
	if size, err := s.KeptBytes(t.Context()); err != nil || size != 3*12_345 {
		t.Errorf("%d bytes are kept, %v", size, err)
	}

	_, err = s.Picture(t.Context(), db.NewToken())
	wants(t, err, db.ErrNotFound)
	nobodys := newPicture(99, "c", day)
	wants(t, s.AddPicture(t.Context(), &nobodys), db.ErrNotFound)
}

func TestUsedPicturesComeNewestFirst(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	add := func(userID int64, at time.Time, addresses ...string) {
		task := newTask(userID, "from pictures")
		task.Pictures, task.CreatedAt = addresses, at
		queue(t, s, &task)
	}
	add(ann.ID, day, "https://example.com/old")
	add(ann.ID, day.Add(time.Hour), "https://example.com/a", "https://example.com/b")
	add(bo.ID, day.Add(time.Hour), "https://example.com/bo")
	add(ann.ID, day.Add(2*time.Hour))
	add(ann.ID, day.Add(3*time.Hour), "https://example.com/a")
	used, err := s.UsedPictures(t.Context(), ann.ID, 2)
	must(t, err)
	same(t, used, []db.UsedPicture{
		{Address: "https://example.com/a", At: day.Add(3 * time.Hour)},
		{Address: "https://example.com/a", At: day.Add(time.Hour)},
		{Address: "https://example.com/b", At: day.Add(time.Hour)},
	})
}
