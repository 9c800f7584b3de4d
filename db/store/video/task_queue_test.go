package video_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// addRow adds a row of a batch.
func addRow(t *testing.T, s *store.Store, userID int64) db.Task {
	t.Helper()
	row := suite.NewTask(userID, "row")
	row.Batch, row.Bulk = "batch", true
	suite.Queue(t, s, &row)
	return row
}

// places returns how many tasks come before each of the person's tasks.
func places(t *testing.T, s *store.Store, userID int64, ids ...int64) (ahead []int) {
	t.Helper()
	q, err := s.Leases.Queue(t.Context(), userID, ids...)
	must(t, err)
	for _, id := range ids {
		ahead = append(ahead, q.Ahead(id))
	}
	return ahead
}

// sendNext claims what is sent next, and returns its ID. The service refuses it at once, so
// that it leaves the queue.
func sendNext(t *testing.T, s *store.Store, at time.Time) int64 {
	t.Helper()
	tasks := suite.Claim(t, s, "me", at, 5)
	if len(tasks) != 1 {
		t.Fatalf("%d were claimed at once", len(tasks))
	}
	suite.Bring(t, s, tasks[0].ID, db.Rejected, at)
	return tasks[0].ID
}

// Single videos go before the rows of their maker's own batch, whatever was ordered first;
// after three of them one row goes.
func TestSingleVideosPassTheirMakersBatch(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	names := map[int64]string{}
	rows := func(n int) {
		for range n {
			names[addRow(t, s, ann).ID] = "r"
		}
	}
	single := func(n int) {
		for range n {
			names[suite.AddTask(t, s, ann, "x").ID] = "s"
		}
	}
	sends := func(n int) (order string) {
		for range n {
			order += names[sendNext(t, s, suite.Day)]
		}
		return order
	}
	single(5)
	suite.Same(t, sends(4), "ssss") // none of them passes a row
	rows(52)
	suite.Same(t, sends(3), "srr")
	single(1)
	suite.Same(t, sends(3), "srr")
	single(8)
	suite.Same(t, sends(12), "sssrsssrssrr")
}

// A batch holds up no single video, however long it is, and the places of all are known.
func TestALongBatchHoldsUpNoSingleVideo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dailies.db")
	s := suite.OpenAt(t, path)
	ann := suite.AddUser(t, s, "Ann").ID
	row := addRow(t, s, ann).ID
	copyTask(t, path, row, 9_999)
	last := row + 9_999
	take := suite.AddTask(t, s, ann, "take 2").ID
	suite.Same(t, places(t, s, ann, take, row, row+1, last), []int{0, 1, 2, 10_000})
	suite.Claimed(t, s, suite.Day, take)
}

// People with the same key wait in the same queue, and each task has the place in it that
// Claim gives it.
func TestAPlaceInTheQueueIsThatOfTheClaims(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		s := suite.Open(t)
		ann, bo, cy := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID, suite.AddUser(t, s, "Cy").ID
		for _, person := range []int64{ann, bo, cy} {
			suite.PutKey(t, s, person, "shared")
		}
		of := map[int64][]int64{} // the IDs of each person's tasks
		add := func(n int) {
			for range n {
				person := []int64{ann, ann, bo, cy}[random.IntN(4)]
				if random.IntN(2) == 0 {
					of[person] = append(of[person], suite.AddTask(t, s, person, "x").ID)
				} else {
					of[person] = append(of[person], addRow(t, s, person).ID)
				}
			}
		}
		add(8)
		sent := map[int64]bool{}
		for range 5 { // so that some have had turns, and singles have passed rows
			sent[sendNext(t, s, suite.Day)] = true
		}
		add(16)
		want := map[int]int64{}
		for person, ids := range of {
			ids = slices.DeleteFunc(ids, func(id int64) bool { return sent[id] })
			for i, place := range places(t, s, person, ids...) {
				if want[place] != 0 {
					t.Errorf("two have the place %d", place)
				}
				want[place] = ids[i]
			}
		}
		for place := range want {
			if want[place] == 0 {
				t.Errorf("nothing has the place %d", place)
			}
		}
		for place := range len(want) {
			if id := sendNext(t, s, suite.Day); id != want[place] {
				t.Errorf("%d is sent in place %d of %v", id, place, want)
			}
		}
	}
}

// What was sent and is not begun keeps its place before everything that waits.
func TestWhatWasSentComesFirstInTheQueue(t *testing.T) {
	s := suite.Open(t)
	ann, bo, cy := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID, suite.AddUser(t, s, "Cy").ID
	suite.PutKey(t, s, ann, "shared")
	suite.PutKey(t, s, bo, "shared")
	suite.PutKey(t, s, cy, "other")
	second := suite.Bring(t, s, suite.AddTask(t, s, ann, "x").ID, db.Pending, suite.Day.Add(time.Second)).ID
	first := suite.Bring(t, s, suite.AddTask(t, s, bo, "x").ID, db.Pending, suite.Day).ID
	waiting := suite.AddTask(t, s, bo, "x").ID
	for _, state := range []db.State{db.Processing, db.Success, db.Failed, db.Rejected, db.Unconfirmed} {
		suite.Bring(t, s, suite.AddTask(t, s, ann, "begun").ID, state, suite.Day)
	}
	suite.AddTask(t, s, cy, "with another key")
	suite.Same(t, places(t, s, ann, second), []int{1})
	suite.Same(t, places(t, s, bo, first, waiting, waiting+99), []int{0, 2, 0})
}

func TestAPersonWithoutAKeyQueuesAlone(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID
	suite.AddTask(t, s, bo, "x")
	first, second := suite.AddTask(t, s, ann, "x").ID, suite.AddTask(t, s, ann, "x").ID
	for _, print := range []string{"no key", ""} {
		if print == "" {
			suite.PutKey(t, s, ann, print) // as in a database that an earlier version wrote
			suite.PutKey(t, s, bo, print)
		}
		suite.Same(t, places(t, s, ann, first, second), []int{0, 1})
	}
}

// The pace of a key is the mean time between its videos that ended in the last ten minutes.
func TestThePaceOfAKeyIsThatOfItsVideos(t *testing.T) {
	s := suite.Open(t)
	ann, bo, cy := suite.AddUser(t, s, "Ann").ID, suite.AddUser(t, s, "Bo").ID, suite.AddUser(t, s, "Cy").ID
	suite.AddTeamKey(t, s, "team", true)
	team, err := s.Keys.KeyInUse(t.Context(), ann)
	must(t, err)
	own := secrets.Key{UserID: cy, Sealed: []byte("x"), Fingerprint: []byte("own"), CreatedAt: suite.Day}
	must(t, s.Keys.PutKey(t.Context(), own))
	now := s.Now().Truncate(time.Millisecond)
	ends := func(person int64, k secrets.Key, state db.State, ago time.Duration) {
		t.Helper()
		task := suite.AddTask(t, s, person, "x")
		_, err := s.Calls.SendTask(t.Context(), "me", task.ID, k, now.Add(-time.Hour))
		must(t, err)
		_, err = s.Calls.SettleCall(t.Context(), task.ID, func(t *db.Task) error {
			return errors.Join(t.Accept(db.Report{RemoteID: fmt.Sprint(task.ID)}, now.Add(-time.Hour), now),
				t.Report(db.Report{Status: string(state)}, now.Add(-ago), now))
		})
		must(t, err)
	}
	pace := func(person int64) schedule.KeyPace {
		t.Helper()
		q, err := s.Leases.Queue(t.Context(), person)
		must(t, err)
		return q.Pace
	}
	ends(ann, team, db.Success, 11*time.Minute)
	ends(ann, team, db.Success, 8*time.Minute)
	suite.Same(t, pace(ann), schedule.KeyPace{}) // one is none
	ends(bo, team, db.Failed, 5*time.Minute)
	ends(ann, team, db.Success, 2*time.Minute)
	ends(cy, own, db.Success, time.Minute)
	suite.Bring(t, s, suite.AddTask(t, s, ann, "refused").ID, db.Rejected, now)
	for _, person := range []int64{ann, bo} {
		got := pace(person)
		suite.Same(t, got.Gap, 3*time.Minute)
		suite.Same(t, got.Until.UnixMilli(), now.Add(2*time.Minute).UnixMilli())
	}
	suite.Same(t, pace(cy), schedule.KeyPace{})
	ends(cy, own, db.Canceled, 30*time.Second)
	suite.Same(t, pace(cy).Gap, 30*time.Second)
	suite.Same(t, pace(ann).Wait(4), 15*time.Minute)
}

// kind returns a task of the kind, as an argument for Usual and Estimate.
func kind(scene, model string, o db.Options) db.Task {
	return db.Task{Request: db.Request{Scene: scene, Model: model, Options: o}}
}

func TestUsualComesFromTheSameKind(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	yes, no := true, false
	five := db.Options{Duration: 5, Resolution: "720p", Audio: &yes}
	usual := func(scene, model string, o db.Options) schedule.Usual {
		t.Helper()
		usual, err := s.Tasks.Usual(t.Context(), kind(scene, model, o))
		must(t, err)
		return usual
	}
	suite.Same(t, usual("text-to-video", "veo3", five), schedule.Usual{})

	suite.FinishTask(t, s, u.ID, five, time.Hour, db.Credits{}, suite.Day.Add(-time.Hour)) // older than the last 50
	for i := range 50 {
		suite.FinishTask(t, s, u.ID, five, time.Duration(i+1)*time.Second, db.Credits{}, suite.Day.Add(time.Duration(i)*time.Minute))
	}
	suite.FinishTask(t, s, u.ID, db.Options{Duration: 10, Resolution: "720p", Audio: &yes}, time.Hour, db.Credits{}, suite.Day.Add(2*time.Hour))
	suite.FinishTask(t, s, u.ID, db.Options{Duration: 5, Resolution: "1080p", Audio: &yes}, time.Hour, db.Credits{}, suite.Day.Add(2*time.Hour))
	fifty := schedule.Usual{Count: 50, Low: 13 * time.Second, High: 37 * time.Second}
	suite.Same(t, usual("text-to-video", "veo3", five), fifty)
	suite.Same(t, usual("text-to-video", "veo3", db.Options{Duration: 5, Resolution: "720p", Audio: &no}), fifty)
	suite.Same(t, usual("text-to-video", "veo3_fast", five), schedule.Usual{})
	suite.Same(t, usual("image-to-video", "veo3", five), schedule.Usual{})
	suite.FinishTask(t, s, u.ID, db.Options{}, 10*time.Second, db.Credits{}, suite.Day)
	suite.Same(t, usual("text-to-video", "veo3", db.Options{}), schedule.Usual{Count: 1, Low: 10 * time.Second, High: 10 * time.Second})
}

func TestEstimateUsesTheNewestCharges(t *testing.T) {
	s := suite.Open(t)
	u := suite.AddUser(t, s, "Ann")
	yes, no := true, false
	five := db.Options{Duration: 5, Resolution: "720p", Audio: &yes}
	estimate := func(scene, model string, o db.Options) ordering.Estimate {
		t.Helper()
		e, err := s.Tasks.Estimate(t.Context(), kind(scene, model, o))
		must(t, err)
		return e
	}
	cost := func(amount float64, o db.Options) {
		suite.FinishTask(t, s, u.ID, o, time.Second, db.CreditsOf(amount), suite.Day)
	}
	suite.Same(t, estimate("text-to-video", "veo3", five), ordering.Estimate{})

	cost(60, db.Options{Duration: 10, Resolution: "720p", Audio: &yes})
	cost(20, db.Options{Duration: 5, Resolution: "720p", Audio: &no})
	cost(40, db.Options{Duration: 5, Resolution: "1080p", Audio: &yes})
	cost(38, db.Options{Duration: 5, Resolution: "1080p"})
	loose := ordering.Estimate{Typical: db.CreditsOf(40), Low: 20, High: 60, Count: 4, Loose: true}
	suite.Same(t, estimate("text-to-video", "veo3", five), loose)
	suite.Same(t, estimate("image-to-video", "veo3", five), loose)
	suite.Same(t, estimate("text-to-video", "veo3_fast", five), ordering.Estimate{})

	cost(90, five)
	suite.Same(t, estimate("image-to-video", "veo3", five), ordering.Estimate{Typical: db.CreditsOf(90), Low: 90, High: 90, Count: 1})
	for _, amount := range []float64{26, 22, 24, 23, 25} {
		cost(amount, five)
	}
	newest := ordering.Estimate{Typical: db.CreditsOf(24), Low: 22, High: 26, Count: 5}
	suite.Same(t, estimate("text-to-video", "veo3", five), newest)
	suite.Same(t, estimate("image-to-video", "veo3", five), newest) // because none was made in that scene

	silent := five
	silent.Audio = &no
	suite.Same(t, estimate("text-to-video", "veo3", silent), ordering.Estimate{Typical: db.CreditsOf(20), Low: 20, High: 20, Count: 1})
}

// The price is known as soon as the service has accepted a video, whatever becomes
// of it.
func TestAnEstimateIsMadeOfUnfinishedVideosToo(t *testing.T) {
	for _, tt := range []struct {
		status  string
		charged db.Credits
		want    db.Credits
	}{
		{"success", db.Credits{}, db.Credits{}},
		{"pending", db.CreditsOf(40), db.CreditsOf(40)},
		{"failed", db.CreditsOf(42), db.CreditsOf(42)},
		{"failed", db.CreditsOf(0), db.Credits{}}, // this is a refund, not a price
		{"success", db.CreditsOf(0), db.CreditsOf(0)},
	} {
		s := suite.Open(t)
		suite.AddTaskWith(t, s, suite.AddUser(t, s, "Ann").ID, suite.Begin, func(t *db.Task) error {
			answer := db.Report{RemoteID: "r", Status: tt.status, Charged: tt.charged}
			return errors.Join(t.Accept(answer, suite.Day, suite.Day), t.Report(answer, suite.Day, suite.Day))
		})
		e, err := s.Tasks.Estimate(t.Context(), kind("text-to-video", "veo3", suite.NewTask(1, "x").Options))
		must(t, err)
		if e.Typical != tt.want {
			t.Errorf("after %s for %v: %v, want %v", tt.status, tt.charged, e.Typical, tt.want)
		}
	}
}

// Prices and times that one service has shown say nothing about another.
func TestEachServiceHasItsOwnPricesAndTimes(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann").ID
	practice := suite.StartService(t, s, "", suite.PracticeAddress)
	five := db.Options{Duration: 5}
	of := kind("text-to-video", "veo3", five)
	past := func(of db.Task, credits db.Credits, usual, took time.Duration) {
		t.Helper()
		e, err := s.Tasks.Estimate(t.Context(), of)
		must(t, err)
		suite.Same(t, e.Typical, credits)
		u, err := s.Tasks.Usual(t.Context(), of)
		must(t, err)
		suite.Same(t, u.Low, usual)
		done, _, err := s.Tasks.Took(t.Context(), of, suite.Day)
		must(t, err)
		suite.Same(t, fmt.Sprint(done), fmt.Sprint([]time.Duration{took}[:min(1, int(took))]))
	}
	for range ordering.EnoughCharges {
		suite.FinishTask(t, s, ann, five, time.Second, db.CreditsOf(10), suite.Day)
	}
	one := suite.Connect(t, s, "https://one.example", "one")
	past(of, db.Credits{}, 0, 0)
	suite.FinishTask(t, s, ann, five, time.Minute, db.CreditsOf(90), suite.Day)
	past(of, db.CreditsOf(90), time.Minute, time.Minute)
	suite.AddTaskWith(t, s, ann, suite.Begin, func(t *db.Task) error {
		return t.Accept(db.Report{RemoteID: "r", Status: "pending"}, suite.Day, suite.Day)
	})
	running := func(of db.Task) int {
		t.Helper()
		_, running, err := s.Tasks.Took(t.Context(), of, suite.Day)
		must(t, err)
		return len(running)
	}
	other := kind("text-to-video", "veo3", suite.NewTask(ann, "x").Options)
	suite.Same(t, running(other), 1)
	suite.Practise(t, s)
	suite.Same(t, running(other), 0)
	// What runs at another service than the team's takes as long as is usual there.
	of.ServiceID = one.ID
	past(of, db.CreditsOf(90), time.Minute, time.Minute)
	of.ServiceID = practice.ID
	e, err := s.Tasks.Estimate(t.Context(), of)
	must(t, err)
	suite.Same(t, e.Typical, db.CreditsOf(10))
}
