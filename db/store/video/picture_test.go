package video_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/suite"
	"dailies/db/store/video"
	"dailies/db/team"
)

func newPicture(userID int64, hash string, at time.Time) ordering.Picture {
	return ordering.Picture{
		UserID: userID, Token: secrets.NewToken(), Sealed: []byte("sealed " + hash), Hash: strings.Repeat(hash, 64), Type: "image/jpeg",
		Size:  12_345,
		Width: 1200, Height: 800, Name: "harbour.jpg", CreatedAt: at,
	}
}

func TestAPictureIsKeptOnceForEachPerson(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	first := newPicture(ann.ID, "a", suite.Day)
	must(t, s.Pictures.AddPicture(t.Context(), &first))
	other := newPicture(ann.ID, "b", suite.Day.Add(time.Minute))
	must(t, s.Pictures.AddPicture(t.Context(), &other))
	got, err := s.Pictures.Picture(t.Context(), first.Token)
	must(t, err)
	suite.Same(t, got, first)

	again := newPicture(ann.ID, "a", suite.Day.Add(time.Hour))
	must(t, s.Pictures.AddPicture(t.Context(), &again))
	if again.ID != first.ID || again.Token != "" || string(again.Sealed) != string(first.Sealed) {
		t.Errorf("uploaded again it is %+v, not %+v", again, first)
	}
	list, err := s.Pictures.Latest(t.Context(), ann.ID, 10)
	must(t, err)
	other.Token = "" // only its hash is stored
	suite.Same(t, list, []ordering.Picture{again, other})

	hers := newPicture(bo.ID, "a", suite.Day)
	must(t, s.Pictures.AddPicture(t.Context(), &hers))
	if hers.ID == first.ID || hers.Token == first.Token {
		t.Error("two people share one address")
	}
	list, err = s.Pictures.Latest(t.Context(), ann.ID, 1)
	must(t, err)
	suite.Same(t, list, []ordering.Picture{again})
	if n, bytes, err := s.Pictures.PictureUse(t.Context(), ann.ID); n != 2 || bytes != 2*12_345 || err != nil {
		t.Errorf("Ann has %d pictures of %d bytes, %v", n, bytes, err)
	}
	if size, err := s.Files.KeptBytes(t.Context()); err != nil || size != 3*12_345 {
		t.Errorf("%d bytes are kept, %v", size, err)
	}

	_, err = s.Pictures.Picture(t.Context(), secrets.NewToken())
	suite.Wants(t, err, db.ErrNotFound)
	nobodys := newPicture(99, "c", suite.Day)
	suite.Wants(t, s.Pictures.AddPicture(t.Context(), &nobodys), db.ErrNotFound)
}

// Two processes that receive a person's pictures at the same moment each find space
// for them, but together they keep to the quota.
func TestTheQuotaOfPicturesHoldsOverTwoProcesses(t *testing.T) {
	for name, most := range map[string]ordering.Quota{
		"so many pictures": {Pictures: 5, Bytes: 1 << 30},
		"so many bytes":    {Pictures: 50, Bytes: 6*12_345 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			stores := suite.OpenTwice(t)
			ann := suite.AddUser(t, stores[0], "Ann")
			var kept, full atomic.Int32
			var all sync.WaitGroup
			for i := range 24 {
				all.Go(func() {
					p := newPicture(ann.ID, string(rune('a'+i)), suite.Day)
					err := stores[i%2].Pictures.AddPictureWithin(t.Context(), &p, most)
					if err == nil {
						kept.Add(1)
						return
					}
					full.Add(1)
					suite.Wants(t, err, db.ErrFull)
				})
			}
			all.Wait()
			n, _, err := stores[0].Pictures.PictureUse(t.Context(), ann.ID)
			must(t, err)
			if n != 5 || kept.Load() != 5 || full.Load() != 19 {
				t.Errorf("%d pictures; %d were kept and %d refused", n, kept.Load(), full.Load())
			}
			left, err := stores[1].Files.Leftovers(t.Context(), suite.Day)
			must(t, err)
			if len(left) != 19 {
				t.Errorf("%d files are left over, want 19", len(left))
			}
			again, err := stores[1].Pictures.Latest(t.Context(), ann.ID, 1)
			must(t, err)
			must(t, stores[1].Pictures.AddPictureWithin(t.Context(), &again[0], ordering.Quota{Pictures: 1, Bytes: 1})) // it needs no more space
		})
	}
}

func TestUsedPicturesComeNewestFirst(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	add := func(userID int64, at time.Time, addresses ...string) {
		task := suite.NewTask(userID, "from pictures")
		task.Pictures, task.CreatedAt = addresses, at
		suite.Queue(t, s, &task)
	}
	add(ann.ID, suite.Day, "https://example.com/old")
	add(ann.ID, suite.Day.Add(time.Hour), "https://example.com/a", "https://example.com/b")
	add(bo.ID, suite.Day.Add(time.Hour), "https://example.com/bo")
	add(ann.ID, suite.Day.Add(2*time.Hour))
	add(ann.ID, suite.Day.Add(3*time.Hour), "https://example.com/a")
	used, err := s.Pictures.UsedPictures(t.Context(), ann.ID, 2)
	must(t, err)
	suite.Same(t, used, []ordering.UsedPicture{
		{Address: "https://example.com/a", At: suite.Day.Add(3 * time.Hour)},
		{Address: "https://example.com/a", At: suite.Day.Add(time.Hour)},
		{Address: "https://example.com/b", At: suite.Day.Add(time.Hour)},
	})
}

func TestAPictureWithAnotherTokenKeepsItsAddresses(t *testing.T) {
	s := suite.Open(t)
	p := newPicture(suite.AddUser(t, s, "Ann").ID, "a", suite.Day)
	must(t, s.Pictures.AddPicture(t.Context(), &p))
	first := p.Token
	p.Token, p.Sealed = secrets.NewToken(), []byte("sealed anew")
	must(t, s.Pictures.AddPictureToken(t.Context(), p))
	for _, token := range []string{first, p.Token} {
		got, err := s.Pictures.Picture(t.Context(), token)
		must(t, err)
		if got.ID != p.ID || string(got.Sealed) != "sealed anew" {
			t.Errorf("%+v", got)
		}
	}
}

func TestPicturesOfAnEarlierVersionAreSealed(t *testing.T) {
	const pictures = 1200 // more than are sealed at once
	path := thirdMigration(t)
	raw, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	for n := range pictures {
		_, err := raw.Exec(`INSERT INTO pictures (user_id, token, hash, type, size, width, height, name, created_at)
			VALUES (1, $1, $2, 'image/png', 1, 2, 3, 'a.png', 4)`, plainToken(n), fmt.Sprint("hash ", n))
		must(t, err)
	}
	must(t, raw.Close())
	s, err := store.Open(t.Context(), path)
	must(t, err)
	_, err = s.Pictures.Picture(t.Context(), plainToken(0)) // before anything is sealed
	must(t, err)
	vault, err := secrets.NewVault([]byte("a secret of the tests"))
	must(t, err)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := s.Pictures.SealPictures(ended, vault); err == nil {
		t.Error("it ran on")
	}
	must(t, s.Pictures.SealPictures(t.Context(), vault))
	must(t, s.Pictures.SealPictures(t.Context(), vault))
	if n := plainTokens(t, path); n > 0 {
		t.Errorf("%d tokens are still in the clear", n)
	}
	for _, n := range []int{0, pictures - 1} {
		p, err := s.Pictures.Picture(t.Context(), plainToken(n))
		must(t, err)
		token, err := vault.OpenToken(p.UserID, p.Sealed)
		if token != plainToken(n) || err != nil || p.Name != "a.png" || p.Height != 3 || p.Hash != fmt.Sprint("hash ", n) {
			t.Errorf("picture %d: %+v, %v", n, p, err)
		}
	}
	must(t, s.Close())
	if n := plainTokens(t, path); n > 0 {
		t.Errorf("%d tokens are in the clear again", n)
	}
}

func TestUnusedPictureIsSwept(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	later := suite.Day.Add(ordering.PictureLife)
	pictures := map[string]ordering.Picture{}
	for i, name := range []string{"unused", "task", "recipe", "deleted recipe", "draft", "old address", "young", "twin"} {
		p := newPicture(ann.ID, string(rune('a'+i)), suite.Day)
		if name == "young" {
			p.CreatedAt = suite.Day.Add(time.Second)
		}
		if name == "twin" {
			p.UserID, p.Hash = suite.AddUser(t, s, "Bo").ID, strings.Repeat("b", 64) // the same file as "task"
		}
		must(t, s.Pictures.AddPicture(t.Context(), &p))
		pictures[name] = p
	}
	address := func(name string) string { return "https://dailies.example.com" + pictures[name].Path() }
	old := pictures["old address"]
	another := old
	another.Token = secrets.NewToken()
	must(t, s.Pictures.AddPictureToken(t.Context(), another))
	for _, addresses := range [][]string{{"https://example.com/a", address("task")}, {address("old address")}, nil} {
		task := suite.NewTask(ann.ID, "from pictures")
		task.Pictures = addresses
		_, err := s.AddTasks(t.Context(), []db.Task{task})
		must(t, err)
	}
	for _, name := range []string{"recipe", "deleted recipe"} {
		r := ordering.Recipe{
			Name: name, Request: db.Request{Scene: "image-to-video", Model: "veo3", Pictures: []string{address(name)}},
			CreatedBy: ann.ID, CreatedAt: suite.Day, ChangedAt: suite.Day,
		}
		must(t, s.Recipes.AddRecipe(t.Context(), &r))
		if name == "deleted recipe" {
			_, err := s.Recipes.UpdateRecipe(t.Context(), r.ID, func(r *ordering.Recipe) error { return r.Delete(suite.Day) })
			must(t, err)
		}
	}
	must(t, s.Settings.SetSetting(
		t.Context(), fmt.Sprintf("draft %d image-to-video", ann.ID), url.Values{"image_input": {"", address("draft")}}.Encode(),
	))

	if n, err := s.Pictures.SweepPictures(t.Context(), later.Add(-1)); n != 0 || err != nil {
		t.Errorf("early: %d, %v", n, err)
	}
	for range 2 { // pictures that were found in use are not examined again at once
		_, err := s.Pictures.SweepPictures(t.Context(), later)
		must(t, err)
	}
	for name, p := range pictures {
		_, err := s.Pictures.Picture(t.Context(), p.Token)
		if gone := name == "unused" || name == "twin"; gone != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	left, err := s.Files.Leftovers(t.Context(), later)
	must(t, err)
	suite.Same(t, left, []string{strings.Repeat("a", 64)})
	must(t, s.Settings.SetSetting(t.Context(), fmt.Sprintf("draft %d image-to-video", ann.ID), ""))
	if n, err := s.Pictures.SweepPictures(t.Context(), later.Add(ordering.PictureLife)); n != 2 || err != nil {
		t.Errorf("a life later: %d, %v", n, err) // the draft's, and the one that was young
	}
}

func TestADeletedPictureIsGoneUnlessAVideoOnItsWayNeedsIt(t *testing.T) {
	s := suite.Open(t)
	p := newPicture(suite.AddUser(t, s, "Ann").ID, "a", suite.Day)
	must(t, s.Pictures.AddPicture(t.Context(), &p))
	task := suite.NewTask(p.UserID, "from pictures")
	task.State, task.Pictures = db.Queued, []string{"https://dailies.example.com" + p.Path()}
	tasks, err := s.AddTasks(t.Context(), []db.Task{task})
	must(t, err)
	for _, to := range []db.State{db.Queued, db.Sending, db.Pending, db.Processing} {
		_, err := s.Tasks.UpdateTask(t.Context(), tasks[0].ID, func(t *db.Task) error { t.State = to; return nil })
		must(t, err)
		suite.Wants(t, s.Pictures.DeletePicture(t.Context(), p.ID, suite.Day), db.ErrConflict)
	}
	_, err = s.Tasks.UpdateTask(t.Context(), tasks[0].ID, func(t *db.Task) error { t.State = db.Success; return nil })
	must(t, err)
	must(t, s.Pictures.DeletePicture(t.Context(), p.ID, suite.Day))
	_, err = s.Pictures.Picture(t.Context(), p.Token)
	suite.Wants(t, err, db.ErrNotFound)
	suite.Wants(t, s.Pictures.DeletePicture(t.Context(), p.ID, suite.Day), db.ErrNotFound)
	left, err := s.Files.Leftovers(t.Context(), suite.Day)
	must(t, err)
	suite.Same(t, left, []string{p.Hash})
}

// The transaction that queues a video makes sure that no service is given an address that
// was made for another one.
func TestNoServiceIsGivenTheAddressOfAnother(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	suite.StartService(t, s, "", suite.PracticeAddress)
	p := newPicture(ann, "a", suite.Day)
	must(t, s.Pictures.AddPicture(t.Context(), &p))
	asks := func(token string) error {
		task := suite.NewTask(ann, "x")
		task.Pictures = []string{"https://dailies.example" + ordering.Picture{Token: token}.Path()}
		_, err := s.AddTasks(t.Context(), []db.Task{task})
		return err
	}
	must(t, asks(p.Token))
	suite.Connect(t, s, "https://one.example", "one")
	suite.Wants(t, asks(p.Token), video.ErrOtherService)
	must(t, asks(secrets.NewToken())) // it only looks like one of our pictures
	here, err := s.Pictures.IsTokenOfService(t.Context(), p.Token)
	must(t, err)
	suite.Same(t, here, false)
	again := newPicture(ann, "a", suite.Day) // uploaded again, it gets an address for this service
	must(t, s.Pictures.AddPicture(t.Context(), &again))
	if again.ID != p.ID || again.Token == p.Token || again.Elsewhere {
		t.Errorf("uploaded again, it is %+v", again)
	}
	must(t, asks(again.Token))
	suite.Practise(t, s)
	suite.Wants(t, asks(again.Token), video.ErrOtherService)
	must(t, asks(p.Token))
	list, err := s.Pictures.Latest(t.Context(), ann, 9)
	must(t, err)
	suite.Same(t, []any{len(list), list[0].Elsewhere, string(list[0].Sealed)}, []any{1, false, string(p.Sealed)})
}

// Pictures count for the person who added them until that person leaves, and then for the
// team: not for the colleague who gets everything else.
func TestPicturesOfPeopleWhoLeftCountForTheTeam(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	face, other := newPicture(bo.ID, "a", suite.Day), newPicture(bo.ID, "b", suite.Day)
	must(t, s.Pictures.AddPicture(t.Context(), &face))
	must(t, s.Pictures.AddPicture(t.Context(), &other))
	own := face
	own.Token = secrets.NewToken()
	m := suite.NewCastMember(bo.ID, "anna")
	m.Pictures = []string{address(own)}
	must(t, s.Cast.Create(t.Context(), &m, []ordering.Picture{own}))
	counts := func(of int64, want, left int) {
		t.Helper()
		n, _, err := s.Pictures.PictureUse(t.Context(), of)
		must(t, err)
		gone, bytes, err := s.Pictures.LeftPictures(t.Context())
		must(t, err)
		if n != want || gone != left || bytes != int64(left)*face.Size {
			t.Errorf("%d count for person %d, want %d; %d of %d bytes for the team, want %d", n, of, want, gone, bytes, left)
		}
	}
	counts(bo.ID, 2, 0)
	_, err := s.Leave(t.Context(), team.Leaving{UserID: bo.ID, HandTo: ann.ID, At: suite.Day})
	must(t, err)
	counts(ann.ID, 0, 2)
	n, err := s.Pictures.SweepPictures(t.Context(), suite.Day.Add(2*ordering.PictureLife))
	must(t, err)
	suite.Same(t, n, 1)
	counts(ann.ID, 0, 1) // the cast keeps its picture
	if p, err := s.Pictures.Picture(t.Context(), own.Token); err != nil || p.ID != face.ID {
		t.Errorf("the picture of the cast member is %+v, %v", p, err)
	}
}
