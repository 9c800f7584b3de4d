package suite_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
	"dailies/db/outbox"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/suite"
)

// deciding adds a link to the video with which guests may decide.
func deciding(t *testing.T, s *store.Store, taskID, by int64) gallery.Share {
	t.Helper()
	share := gallery.Share{Token: secrets.NewToken(), TaskID: taskID, CreatedBy: by, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(24 * time.Hour), May: gallery.Decide}
	must(t, s.Links.AddShare(t.Context(), &share))
	return share
}

func TestNotesAreReadAsTheyWereWritten(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	mara := suite.AddGuest(t, s, share.ID, "Mara")
	mark, err := review.ParseMark(`{"kind":"rect","points":[[0.1,0.2],[0.5,1]]}`)
	must(t, err)
	late := suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author(), Position: review.Position{At: 2400, Until: 3000, Frame: 57}, Mark: mark})
	early := suite.AddNote(t, s, review.Note{TaskID: video.ID, Author: review.Author{UserID: bo.ID}, Position: review.Position{At: 10, Frame: -1}, Internal: true})
	reply := suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: late.ID, Author: review.Author{UserID: ann.ID}, Internal: true})
	found, err := s.Notes.Of(t.Context(), video.ID)
	must(t, err)
	if len(found) != 3 || found[0].ID != early.ID || found[1].ID != late.ID || found[2].ID != reply.ID {
		t.Fatalf("%+v", found)
	}
	if n := found[1]; n.Author.Name != "Mara" || n.Author.Number != 1 || !n.Author.Is(mara.Author()) || n.Position != late.Position || n.Mark.JSON() != mark.JSON() || n.Body != late.Body || !n.CreatedAt.Equal(suite.Day) || !n.ChangedAt.IsZero() || n.IsDone() || n.Internal {
		t.Errorf("%+v", n)
	}
	if n := found[0]; n.Author.Name != "Bo" || !n.Internal || n.Frame != -1 || n.ShareID != 0 {
		t.Errorf("%+v", n)
	}
	// Guests of the link see the reply, because they see what it replies to.
	if n := found[2]; n.Internal || n.ShareID != share.ID || n.Position != late.Position {
		t.Errorf("%+v", n)
	}
	must(t, s.Notes.ChangeNote(t.Context(), late.ID, mara.Author(), "Smaller", suite.Day.Add(time.Minute)))
	n, err := s.Notes.Note(t.Context(), late.ID)
	if err != nil || n.Body != "Smaller" || !n.ChangedAt.Equal(suite.Day.Add(time.Minute)) {
		t.Errorf("%+v, %v", n, err)
	}
	for _, err := range []error{
		s.Notes.ChangeNote(t.Context(), late.ID, review.Author{UserID: ann.ID}, "x", suite.Day),
		s.Notes.ChangeNote(t.Context(), late.ID, mara.Author(), "x", suite.Day.Add(review.ChangeWithin)),
	} {
		if !errors.Is(err, db.ErrConflict) {
			t.Errorf("it was changed: %v", err)
		}
	}
	must(t, s.Notes.DeleteNote(t.Context(), late.ID, review.Author{UserID: ann.ID}, suite.Day))
	found, err = s.Notes.Of(t.Context(), video.ID, 0)
	if err != nil || len(found) != 1 {
		t.Errorf("the reply stays: %+v, %v", found, err)
	}
	if _, err := s.Notes.Note(t.Context(), reply.ID); !errors.Is(err, db.ErrNotFound) {
		t.Error(err)
	}
}

// What others wrote stays where the author of a note deletes it, and goes with the last of it.
func TestANoteWithRepliesStaysWithoutItsWords(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	mara, team := suite.AddGuest(t, s, share.ID, "Mara"), review.Author{UserID: ann.ID}
	mark, err := review.ParseMark(`{"kind":"rect","points":[[0.1,0.2],[0.5,1]]}`)
	must(t, err)
	note := suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author(), Position: review.Position{At: 2400, Frame: 57}, Mark: mark})
	reply := suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: note.ID, Author: team})
	must(t, s.Notes.DeleteNote(t.Context(), note.ID, mara.Author(), suite.Day.Add(time.Hour)))
	found, err := s.Notes.Of(t.Context(), video.ID)
	must(t, err)
	if len(found) != 2 || found[0].ID != note.ID || found[1].ID != reply.ID || found[1].Body != reply.Body {
		t.Fatalf("%+v", found)
	}
	if n := found[0]; n.Body != "" || !n.Mark.IsZero() || !n.DeletedAt.Equal(suite.Day.Add(time.Hour)) || n.At != 2400 || n.Words() != "Deleted by its author" {
		t.Errorf("%+v", n)
	}
	if open, err := s.Notes.Open(t.Context(), ann.ID, false, 10); err != nil || len(open) != 0 {
		t.Errorf("open: %+v, %v", open, err)
	}
	if news, err := s.Notes.HowMuchIsNew(t.Context(), ann.ID); err != nil || news != 0 {
		t.Errorf("%d news, %v", news, err)
	}
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Limit: 1})
	must(t, err)
	if len(entries) != 1 || entries[0].Action != audit.NoteDeleted || entries[0].Before != "by a guest" || entries[0].After != "1 reply stays" {
		t.Errorf("the audit has %+v", entries)
	}
	for what, err := range map[string]error{
		"deleted again": s.Notes.DeleteNote(t.Context(), note.ID, mara.Author(), suite.Day),
		"closed":        s.Notes.CloseNote(t.Context(), note.ID, true, suite.Day),
	} {
		if !errors.Is(err, db.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := s.Notes.ChangeNote(t.Context(), note.ID, mara.Author(), "x", suite.Day); !errors.Is(err, db.ErrConflict) {
		t.Errorf("changed: %v", err)
	}
	must(t, s.Notes.DeleteNote(t.Context(), reply.ID, team, suite.Day))
	if found, err = s.Notes.Of(t.Context(), video.ID); err != nil || len(found) != 0 {
		t.Errorf("the empty place stays: %+v, %v", found, err)
	}
}

// answer gives the guest's answer to the video.
func answer(t *testing.T, s *store.Store, v review.Verdict) {
	t.Helper()
	if v.ChangedAt.IsZero() {
		v.ChangedAt = suite.Day
	}
	must(t, s.Guests.Decide(t.Context(), v))
}

// said lists what was said about the video, in its order.
func said(t *testing.T, s *store.Store, taskID int64) (said []string) {
	t.Helper()
	found, err := s.Notes.Of(t.Context(), taskID)
	must(t, err)
	for _, n := range found {
		as := string(n.Answer)
		if n.IsEarlier() {
			as = "earlier " + as
		}
		said = append(said, strings.TrimSpace(fmt.Sprintf("%s: %s %d", as, n.Body, n.At)))
	}
	return said
}

func TestAnAnswerIsANote(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	mara, jo := suite.AddGuest(t, s, share.ID, "Mara"), suite.AddGuest(t, s, share.ID, "Jo")
	mark, err := review.ParseMark(`{"kind":"rect","points":[[0.1,0.2],[0.5,1]]}`)
	must(t, err)
	suite.AddNote(t, s, review.Note{TaskID: video.ID, Author: review.Author{UserID: ann.ID}, Position: review.Position{At: 10}, Body: "first"})
	red := review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: review.Changes, Body: "red", Position: review.Position{At: 2100, Until: 2500, Frame: 50}, Mark: mark}
	answer(t, s, red)
	answer(t, s, red) // sent twice
	untimed := review.Position{At: review.NoTime, Frame: -1}
	answer(t, s, review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: jo, Answer: review.Approved, Position: untimed})
	suite.Same(t, said(t, s, video.ID), []string{"changes: red 2100", "approved:  -1", ": first 10"})
	found, err := s.Notes.Of(t.Context(), video.ID)
	must(t, err)
	if n := found[0]; !n.IsAnswer() || n.Position != red.Position || n.Mark.JSON() != mark.JSON() || !n.Author.Is(mara.Author()) || n.ShareID != share.ID {
		t.Errorf("%+v", n)
	}
	if news, err := s.Notes.HowMuchIsNew(t.Context(), ann.ID); err != nil || news != 2 {
		t.Errorf("%d news, %v", news, err)
	}
	if open, err := s.Notes.Open(t.Context(), ann.ID, false, 10); err != nil || len(open) != 2 || open[0].Body != "red" {
		t.Errorf("open: %+v, %v", open, err)
	}

	// The team closes an answer, and does not delete it.
	must(t, s.Notes.CloseNote(t.Context(), found[0].ID, true, suite.Day))
	if err := s.Notes.DeleteNote(t.Context(), found[0].ID, review.Author{UserID: ann.ID}, suite.Day); !errors.Is(err, db.ErrConflict) {
		t.Errorf("the team deleted it: %v", err)
	}

	// Other words are the answer's words.
	must(t, s.Notes.ChangeNote(t.Context(), found[0].ID, mara.Author(), "dark red", suite.Day.Add(time.Minute)))
	given, err := s.Guests.VerdictsBy(t.Context(), mara.ID)
	if v := given[video.ID]; err != nil || v.Body != "dark red" || v.NoteID != found[0].ID || v.Answer != review.Changes {
		t.Errorf("%+v, %v", given, err)
	}

	// Another answer keeps the words of the one before, and nothing where there were none.
	answer(t, s, review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: review.Approved, Body: "Lovely", Position: untimed})
	answer(t, s, review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: jo, Answer: review.Changes, Body: "blue", Position: untimed})
	suite.Same(t, said(t, s, video.ID), []string{"changes: blue -1", "approved: Lovely -1", ": first 10", "earlier changes: dark red 2100"})

	// A guest who deletes their answer withdraws it.
	must(t, s.Notes.DeleteNote(t.Context(), noteOf(t, s, jo, video.ID), jo.Author(), suite.Day))
	stands, err := s.Guests.Standings(t.Context(), []int64{video.ID}, suite.Day)
	must(t, err)
	if v := stands[video.ID]; len(v.Verdicts) != 1 || len(v.Silent) != 1 || v.Silent[0].ID != jo.ID {
		t.Errorf("%+v", v)
	}
	suite.Same(t, said(t, s, video.ID), []string{"approved: Lovely -1", ": first 10", "earlier changes: dark red 2100"})
}

// noteOf returns the ID of the note with the guest's answer.
func noteOf(t *testing.T, s *store.Store, g review.Guest, taskID int64) int64 {
	t.Helper()
	given, err := s.Guests.VerdictsBy(t.Context(), g.ID)
	must(t, err)
	return given[taskID].NoteID
}

func TestRepliesToAnAnswerOutliveIt(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	mara := suite.AddGuest(t, s, share.ID, "Mara")
	decide := func(a review.Answer, body string) {
		answer(t, s, review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: a, Body: body, Position: review.Position{At: review.NoTime}})
	}
	decide(review.Approved, "")
	suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: noteOf(t, s, mara, video.ID), Author: review.Author{UserID: ann.ID}, Body: "Thanks"})
	decide(review.Changes, "red")
	suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: noteOf(t, s, mara, video.ID), Author: review.Author{UserID: ann.ID}, Body: "How red?"})
	suite.Same(t, said(t, s, video.ID), []string{"changes: red -1", "earlier approved:  -1", ": Thanks -1", ": How red? -1"})
	must(t, s.Notes.DeleteNote(t.Context(), noteOf(t, s, mara, video.ID), mara.Author(), suite.Day))
	suite.Same(t, said(t, s, video.ID), []string{"earlier approved:  -1", ": Thanks -1", ":  -1", ": How red? -1"})
	must(t, s.Guests.DeleteGuest(t.Context(), mara.ID, suite.Day))
	suite.Same(t, said(t, s, video.ID), []string{":  -1", ": Thanks -1", ":  -1", ": How red? -1"})
}

func TestTheLimitOfNotesRefusesNoAnswer(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	mara := suite.AddGuest(t, s, share.ID, "Mara")
	for i := range review.MaxEarlier + 5 {
		answer(t, s, review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: review.Changes, Body: fmt.Sprint("answer ", i)})
	}
	if n := len(said(t, s, video.ID)); n != 1+review.MaxEarlier {
		t.Errorf("%d answers are kept", n)
	}
	for i := range review.MaxNotes {
		suite.AddNote(t, s, review.Note{TaskID: video.ID, Author: review.Author{UserID: ann.ID}, Body: fmt.Sprint("note ", i)})
	}
	answer(t, s, review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: review.Approved, Body: "at last"})
	if first := said(t, s, video.ID)[0]; first != "approved: at last 0" {
		t.Errorf("the answer is not the first: %s", first)
	}
}

func TestRepliesGoOneLevelDeep(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	other := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a tram").ID, db.Success, suite.Day)
	share, second := deciding(t, s, video.ID, ann.ID), deciding(t, s, video.ID, ann.ID)
	mara, jo := suite.AddGuest(t, s, share.ID, "Mara"), suite.AddGuest(t, s, second.ID, "Jo")
	member := review.Author{UserID: ann.ID}
	top := suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author()})
	reply := suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: top.ID, Author: member})
	hidden := suite.AddNote(t, s, review.Note{TaskID: video.ID, Author: member, Internal: true})
	for name, n := range map[string]review.Note{
		"a reply to a reply":              {TaskID: video.ID, ParentID: reply.ID, Author: member},
		"to a note on another video":      {TaskID: other.ID, ParentID: top.ID, Author: member},
		"to nothing":                      {TaskID: video.ID, ParentID: 99999, Author: member},
		"by a guest of another link":      {TaskID: video.ID, ParentID: top.ID, ShareID: second.ID, Author: jo.Author()},
		"by a guest to what they see not": {TaskID: video.ID, ParentID: hidden.ID, ShareID: share.ID, Author: mara.Author()},
		"by a guest of no such link":      {TaskID: video.ID, ShareID: second.ID, Author: mara.Author()},
	} {
		n.Body, n.CreatedAt = "x", suite.Day
		if err := s.Notes.AddNote(t.Context(), &n, nil); !errors.Is(err, db.ErrNotFound) || n.ID != 0 {
			t.Errorf("%s: note %d, %v", name, n.ID, err)
		}
	}
}

func TestAVideoHasAsManyNotesAsItMay(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	n := review.Note{TaskID: video.ID, Author: review.Author{UserID: ann.ID}, Body: "x", CreatedAt: suite.Day}
	for range review.MaxNotes {
		n.CreatedAt = n.CreatedAt.Add(time.Hour)
		must(t, s.Notes.AddNote(t.Context(), &n, nil))
	}
	n.CreatedAt = n.CreatedAt.Add(time.Hour)
	if err := s.Notes.AddNote(t.Context(), &n, nil); !errors.Is(err, db.ErrFull) {
		t.Error(err)
	}
	must(t, s.Notes.DeleteNote(t.Context(), n.ID, n.Author, suite.Day))
	must(t, s.Notes.AddNote(t.Context(), &n, nil))
}

func TestNobodyTakesThePlacesOfOthersNotes(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	guest := func(source string) review.Note {
		g := review.Guest{ShareID: share.ID, Token: secrets.NewToken(), Name: "Mara", CreatedAt: suite.Day, Source: source}
		must(t, s.Guests.AddGuest(t.Context(), &g))
		return review.Note{TaskID: video.ID, ShareID: share.ID, Author: g.Author(), Body: "x", CreatedAt: suite.Day}
	}
	crowd, another, elsewhere, before := guest("an office"), guest("an office"), guest("a train"), guest("")
	for range review.MaxNotesFrom {
		crowd.CreatedAt = crowd.CreatedAt.Add(time.Hour)
		must(t, s.Notes.AddNote(t.Context(), &crowd, nil))
	}
	if err := s.Notes.AddNote(t.Context(), &another, nil); !errors.Is(err, db.ErrFull) {
		t.Errorf("one note too many from there: %v", err)
	}
	for who, n := range map[string]review.Note{"elsewhere": elsewhere, "a guest of an earlier version": before, "the team": {TaskID: video.ID, Author: review.Author{UserID: ann.ID}, Body: "x", CreatedAt: suite.Day}} {
		if err := s.Notes.AddNote(t.Context(), &n, nil); err != nil {
			t.Errorf("%s: %v", who, err)
		}
	}
}

func TestOneNetworkAddressHasOnlySomeOfALinksGuests(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	share := deciding(t, s, suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day).ID, ann.ID)
	add := func(source string) error {
		return s.Guests.AddGuest(t.Context(), &review.Guest{ShareID: share.ID, Token: secrets.NewToken(), Name: "x", CreatedAt: suite.Day, Source: source})
	}
	for range review.MaxGuestsFrom {
		must(t, add("an office"))
	}
	if err := add("an office"); !errors.Is(err, db.ErrFull) {
		t.Errorf("one guest too many from there: %v", err)
	}
	must(t, add("a train"))
}

func TestANoteThatIsSentTwiceIsAddedOnce(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	first := suite.AddNote(t, s, review.Note{TaskID: video.ID, Author: review.Author{UserID: ann.ID}, Position: review.Position{At: 100}})
	again := review.Note{TaskID: video.ID, Author: review.Author{UserID: ann.ID}, Position: review.Position{At: 100}, Body: first.Body, CreatedAt: suite.Day.Add(time.Second)}
	for name, tt := range map[string]struct {
		change func(*review.Note)
		same   bool
	}{
		"nothing":      {func(*review.Note) {}, true},
		"another time": {func(n *review.Note) { n.At = 200 }, false},
		"other words":  {func(n *review.Note) { n.Body = "x" }, false},
		"by another":   {func(n *review.Note) { n.Author.UserID = bo.ID }, false},
		"later":        {func(n *review.Note) { n.CreatedAt = suite.Day.Add(time.Hour) }, false},
		"a reply":      {func(n *review.Note) { n.ParentID = first.ID }, false},
	} {
		n := again
		tt.change(&n)
		must(t, s.Notes.AddNote(t.Context(), &n, nil))
		if (n.ID == first.ID) != tt.same {
			t.Errorf("%s is different: note %d after %d", name, n.ID, first.ID)
		}
	}
}

func TestNewsReachesThoseWhomItConcerns(t *testing.T) {
	s := suite.Open(t)
	ann, bo, cy := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo"), suite.AddUser(t, s, "Cy")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, bo.ID)
	mara := suite.AddGuest(t, s, share.ID, "Mara")
	news := func(want string) {
		t.Helper()
		var got []string
		for _, u := range []db.User{ann, bo, cy} {
			n, err := s.Notes.HowMuchIsNew(t.Context(), u.ID)
			must(t, err)
			all, err := s.Notes.New(t.Context(), u.ID, 10)
			must(t, err)
			has, err := s.Notes.HasNewsOf(t.Context(), u.ID, video.ID)
			must(t, err)
			answers := len(slices.DeleteFunc(slices.Clone(all), func(n review.Note) bool { return !n.IsAnswer() }))
			got = append(got, fmt.Sprintf("%d=%d+%d", n, len(all)-answers, answers))
			if has != (n > 0) {
				t.Errorf("%s has news of it: %v", u.Name, has)
			}
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("news is %s, not %s", g, want)
		}
	}
	news("0=0+0 0=0+0 0=0+0")
	suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author()})
	news("1=1+0 1=1+0 0=0+0")
	mentioning := suite.AddNote(t, s, review.Note{TaskID: video.ID, Author: review.Author{UserID: ann.ID}}, cy.ID, cy.ID, ann.ID)
	news("1=1+0 1=1+0 1=1+0")
	suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: mentioning.ID, Author: review.Author{UserID: bo.ID}})
	news("2=2+0 1=1+0 1=1+0")
	must(t, s.Guests.Decide(t.Context(), review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: review.Changes, ChangedAt: suite.Day}))
	must(t, s.Guests.Decide(t.Context(), review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: review.Approved, ChangedAt: suite.Day}))
	news("3=2+1 2=1+1 1=1+0")
	must(t, s.Notes.See(t.Context(), ann.ID, video.ID))
	must(t, s.Notes.See(t.Context(), bo.ID, 0))
	news("0=0+0 0=0+0 1=1+0")
	must(t, s.Notes.DeleteNote(t.Context(), mentioning.ID, review.Author{UserID: bo.ID}, suite.Day))
	news("0=0+0 0=0+0 0=0+0")
	// Who may not see a private video is told nothing.
	_, err := s.Tasks.PrivateTasks(t.Context(), ann, []int64{video.ID}, true)
	must(t, err)
	suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author(), Body: "Private?"}, cy.ID)
	news("1=1+0 0=0+0 0=0+0")
}

func TestOpenNotesAreListed(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	own := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a tram").ID, db.Success, suite.Day)
	_, err := s.Tasks.PrivateTasks(t.Context(), ann, []int64{own.ID}, true)
	must(t, err)
	member := review.Author{UserID: ann.ID}
	first := suite.AddNote(t, s, review.Note{TaskID: video.ID, Author: member})
	reply := suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: first.ID, Author: member})
	second := suite.AddNote(t, s, review.Note{TaskID: own.ID, Author: member})
	open := func(u db.User, done bool, want ...int64) {
		t.Helper()
		found, err := s.Notes.Open(t.Context(), u.ID, done, 10)
		must(t, err)
		var ids []int64
		for _, n := range found {
			ids = append(ids, n.ID)
		}
		if fmt.Sprint(ids) != fmt.Sprint(want) {
			t.Errorf("%s, done %v: %v, not %v", u.Name, done, ids, want)
		}
	}
	open(ann, false, second.ID, first.ID)
	open(bo, false, first.ID)
	must(t, s.Notes.CloseNote(t.Context(), first.ID, true, suite.Day))
	open(ann, false, second.ID)
	open(ann, true, first.ID)
	must(t, s.Notes.CloseNote(t.Context(), first.ID, false, suite.Day))
	open(ann, true)
	for _, id := range []int64{reply.ID, 99999} { // a reply cannot be closed
		if err := s.Notes.CloseNote(t.Context(), id, true, suite.Day); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("note %d: %v", id, err)
		}
	}
}

func TestGuestsWithOneNameAreNumbered(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share, other := deciding(t, s, video.ID, ann.ID), deciding(t, s, video.ID, ann.ID)
	first, second, third := suite.AddGuest(t, s, share.ID, "Mara"), suite.AddGuest(t, s, share.ID, "mara"), suite.AddGuest(t, s, other.ID, "Mara")
	if first.Number != 1 || second.Number != 2 || third.Number != 1 {
		t.Errorf("numbers %d, %d, %d", first.Number, second.Number, third.Number)
	}
	second.Name = "Jo"
	must(t, s.Guests.RenameGuest(t.Context(), &second, suite.Day))
	second.Name = "MARA"
	must(t, s.Guests.RenameGuest(t.Context(), &second, suite.Day))
	found, err := s.Guests.Guest(t.Context(), share.ID, second.Token)
	if err != nil || found.ID != second.ID || found.Name != "MARA" || found.Number != 2 {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := s.Guests.Guest(t.Context(), other.ID, second.Token); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("the cookie counts on another link: %v", err)
	}
	for range review.MaxGuests - 2 {
		suite.AddGuest(t, s, share.ID, "Jo")
	}
	if err := s.Guests.AddGuest(t.Context(), &review.Guest{ShareID: share.ID, Token: secrets.NewToken(), Name: "Jo", CreatedAt: suite.Day}); !errors.Is(err, db.ErrFull) {
		t.Errorf("one guest too many: %v", err)
	}
	second.Name = "Jo"
	must(t, s.Guests.RenameGuest(t.Context(), &second, suite.Day))
	if second.Number != review.MaxGuests-1 {
		t.Errorf("number %d among %d with the name", second.Number, review.MaxGuests-1)
	}
}

func TestAGuestGoesWithEverythingTheyWrote(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	mara, jo := suite.AddGuest(t, s, share.ID, "Mara"), suite.AddGuest(t, s, share.ID, "Jo")
	note := suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author()})
	kept := suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: jo.Author()})
	suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: note.ID, Author: review.Author{UserID: ann.ID}})
	must(t, s.Guests.Decide(t.Context(), review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: review.Approved, ChangedAt: suite.Day}))
	must(t, s.Guests.DeleteGuest(t.Context(), mara.ID, suite.Day))
	found, err := s.Notes.Of(t.Context(), video.ID)
	must(t, err)
	given, err := s.Guests.Verdicts(t.Context(), []int64{video.ID})
	must(t, err)
	if len(found) != 3 || found[0].ID != note.ID || found[0].Words() != "Deleted" || found[1].ID != kept.ID || found[2].Body != "Larger, please." || len(given) != 0 {
		t.Errorf("%+v, %+v", found, given)
	}
	if err := s.Guests.DeleteGuest(t.Context(), mara.ID, suite.Day); !errors.Is(err, db.ErrNotFound) {
		t.Error(err)
	}
}

// Guests of a storyline write about several videos. When the one that the link was made for is
// gone for good, so are the link and the names of its guests, but not what they wrote about
// others.
func TestWordsOfGuestsOutliveTheirLink(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	second := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a tram").ID, db.Success, suite.Day)
	share := gallery.Share{Token: secrets.NewToken(), TaskID: video.ID, Story: true, CreatedBy: ann.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour), May: gallery.Decide}
	must(t, s.Links.AddShare(t.Context(), &share))
	mara := suite.AddGuest(t, s, share.ID, "Mara")
	suite.AddNote(t, s, review.Note{TaskID: second.ID, ShareID: share.ID, Author: mara.Author()})
	must(t, s.Guests.Decide(t.Context(), review.Verdict{TaskID: second.ID, ShareID: share.ID, Guest: mara, Answer: review.Approved, ChangedAt: suite.Day}))
	_, err := s.Tasks.UpdateTask(t.Context(), video.ID, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: "h", CreatedAt: suite.Day}}, true)
	})
	must(t, err)
	_, err = s.Bin.DeleteTasks(t.Context(), ann, []int64{video.ID}, suite.Day)
	must(t, err)
	if _, n, err := s.Bin.Purge(t.Context(), due, 10); n != 1 || err != nil {
		t.Fatalf("%d purged, %v", n, err)
	}
	found, err := s.Notes.Of(t.Context(), second.ID)
	if err != nil || len(found) != 2 || !found[1].IsEarlier() || found[0].Author != (review.Author{}) || found[0].ShownTo(share.ID+1, review.Author{}) || found[0].Author.Called() != "A guest" {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestVerdictsAreOnePerGuestAndTake(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	second := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat, again").ID, db.Success, suite.Day)
	share, ended := deciding(t, s, video.ID, ann.ID), deciding(t, s, video.ID, ann.ID)
	mara, jo := suite.AddGuest(t, s, share.ID, "Mara"), suite.AddGuest(t, s, share.ID, "Jo")
	ids := []int64{video.ID, second.ID}
	standing := func() review.Standing {
		t.Helper()
		all, err := s.Guests.Standings(t.Context(), ids, suite.Day)
		must(t, err)
		if all[second.ID].IsAsked() {
			t.Error("the answer is carried over")
		}
		return all[video.ID]
	}
	if is := standing(); is.Answer() != review.Waiting || len(is.Silent) != 2 || is.Silent[0].Name != "Mara" {
		t.Errorf("%+v", is)
	}
	decide := func(g review.Guest, a review.Answer) {
		t.Helper()
		must(t, s.Guests.Decide(t.Context(), review.Verdict{TaskID: video.ID, ShareID: g.ShareID, Guest: g, Answer: a, Body: string(a), ChangedAt: suite.Day}))
	}
	decide(mara, review.Changes)
	decide(mara, review.Approved)
	if is := standing(); is.Answer() != review.Approved || len(is.Verdicts) != 1 || len(is.Silent) != 1 || is.Silent[0].ID != jo.ID || is.Verdicts[0].Body != "approved" {
		t.Errorf("%+v", is)
	}
	decide(jo, review.Changes)
	if is := standing(); is.Answer() != review.Changes || is.Guests() != 2 || len(is.Silent) != 0 {
		t.Errorf("%+v", is)
	}
	by, err := s.Guests.VerdictsBy(t.Context(), jo.ID)
	if err != nil || len(by) != 1 || by[video.ID].Answer != review.Changes {
		t.Errorf("%+v, %v", by, err)
	}
	if err := s.Guests.Decide(t.Context(), review.Verdict{TaskID: video.ID, ShareID: ended.ID, Guest: jo, Answer: review.Approved, ChangedAt: suite.Day}); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("a guest of another link: %v", err)
	}
	// What was decided stays when the link ends.
	must(t, s.Links.RevokeShare(t.Context(), share.ID, suite.Day))
	must(t, s.Links.RevokeShare(t.Context(), ended.ID, suite.Day))
	if is := standing(); is.Answer() != review.Changes || is.Asked {
		t.Errorf("%+v", is)
	}
}

func TestVideosOfACollectionAreAskedAboutToo(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	c := gallery.Collection{Name: "Fair", CreatedBy: ann.ID, CreatedAt: suite.Day, ChangedAt: suite.Day}
	must(t, s.Collections.AddCollection(t.Context(), &c))
	_, err := s.Collections.AddToCollection(t.Context(), c.ID, ann.ID, []int64{video.ID}, suite.Day)
	must(t, err)
	stands := func(want review.Answer) {
		t.Helper()
		all, err := s.Guests.Standings(t.Context(), []int64{video.ID}, suite.Day)
		if must(t, err); all[video.ID].Answer() != want {
			t.Errorf("it stands as %q, not %q", all[video.ID].Answer(), want)
		}
	}
	share := gallery.Share{Token: secrets.NewToken(), CollectionID: c.ID, CreatedBy: ann.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour), May: gallery.Talk}
	must(t, s.Links.AddShare(t.Context(), &share))
	stands("") // with this link, guests may only talk
	share.Token, share.May = secrets.NewToken(), gallery.Decide
	must(t, s.Links.AddShare(t.Context(), &share))
	stands(review.Waiting)
}

// The gallery's filter by answer finds what the labels of videos say, and counts it.
func TestVideosAreFoundByWhatGuestsDecided(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	film := func(words string) db.Task {
		return suite.Bring(t, s, suite.AddTask(t, s, ann.ID, words).ID, db.Success, suite.Day)
	}
	wanted, approved, both, silent, untold, private, collected, ended := film("wanted"), film("approved"), film("both"), film("silent"), film("untold"), film("private"), film("collected"), film("ended")
	decide := func(taskID int64, answers ...review.Answer) {
		t.Helper()
		share := deciding(t, s, taskID, bo.ID)
		for i, a := range answers {
			g := suite.AddGuest(t, s, share.ID, fmt.Sprint("guest ", i))
			must(t, s.Guests.Decide(t.Context(), review.Verdict{TaskID: taskID, ShareID: share.ID, Guest: g, Answer: a, ChangedAt: suite.Day}))
		}
	}
	decide(wanted.ID, review.Changes, review.Changes)
	decide(approved.ID, review.Approved, review.Approved)
	decide(both.ID, review.Approved, review.Changes)
	decide(silent.ID)
	decide(approved.ID) // another link, whose guests have not decided
	decide(private.ID)
	_, err := s.Tasks.UpdateTask(t.Context(), private.ID, func(t *db.Task) error { t.Private = true; return nil })
	must(t, err)
	gone := deciding(t, s, ended.ID, ann.ID)
	must(t, s.Links.RevokeShare(t.Context(), gone.ID, suite.Day))
	c := gallery.Collection{Name: "Fair", CreatedBy: ann.ID, CreatedAt: suite.Day, ChangedAt: suite.Day}
	must(t, s.Collections.AddCollection(t.Context(), &c))
	_, err = s.Collections.AddToCollection(t.Context(), c.ID, ann.ID, []int64{collected.ID, private.ID}, suite.Day)
	must(t, err)
	share := gallery.Share{Token: secrets.NewToken(), CollectionID: c.ID, CreatedBy: ann.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour), May: gallery.Decide}
	must(t, s.Links.AddShare(t.Context(), &share))
	for _, tt := range []struct {
		answers []review.Answer
		query   string
		want    []int64
	}{
		{[]review.Answer{review.Changes}, "", []int64{both.ID, wanted.ID}},
		{[]review.Answer{review.Approved}, "", []int64{approved.ID}},
		{[]review.Answer{review.Waiting}, "", []int64{collected.ID, silent.ID, approved.ID}},
		{[]review.Answer{review.Changes, review.Approved}, "", []int64{both.ID, approved.ID, wanted.ID}},
		{review.Answers(), "", []int64{collected.ID, silent.ID, both.ID, approved.ID, wanted.ID}},
		{[]review.Answer{review.Waiting}, "silent", []int64{silent.ID}},
		{[]review.Answer{review.Changes}, "silent", nil},
		{nil, "untold", []int64{untold.ID}},
	} {
		f := gallery.Filter{Viewer: ann.ID, Query: tt.query, Answers: tt.answers, Now: suite.Day, Limit: 10}
		tasks, total, err := s.Search.CountedTasks(t.Context(), f)
		must(t, err)
		var ids []int64
		for _, task := range tasks {
			ids = append(ids, task.ID)
		}
		if !slices.Equal(ids, tt.want) || total != len(ids) {
			t.Errorf("%v %q: %v of %d, not %v", tt.answers, tt.query, ids, total, tt.want)
		}
		f.Makers = []int64{ann.ID} // read from another index, and checked
		if _, total, err := s.Search.CountedTasks(t.Context(), f); err != nil || total != len(tt.want) {
			t.Errorf("%v %q by Ann: %d, %v", tt.answers, tt.query, total, err)
		}
	}
	counts, err := s.Search.CountFacet(t.Context(), gallery.Filter{Viewer: ann.ID, Now: suite.Day, Answers: []review.Answer{review.Approved}}, gallery.ByVerdict)
	if want := map[string]int{"changes": 2, "approved": 1, "waiting": 3}; err != nil || !maps.Equal(counts, want) {
		t.Errorf("%v, %v", counts, err)
	}
	place, err := s.Search.PlaceOf(t.Context(), gallery.Filter{Viewer: ann.ID, Now: suite.Day, Answers: []review.Answer{review.Waiting}}, silent.ID)
	if err != nil || place != (gallery.Place{Previous: collected.ID, Next: approved.ID, Position: 2, Total: 3}) {
		t.Errorf("%+v, %v", place, err)
	}
	all, err := s.Guests.Standings(t.Context(), []int64{private.ID}, suite.Day)
	if err != nil || all[private.ID].IsAsked() {
		t.Errorf("nobody is shown a private video of somebody else: %+v, %v", all, err)
	}
}

// Guests of a storyline decide about each of its scenes.
func TestScenesAreAskedAboutOneByOne(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	first := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	next := suite.NewTask(ann.ID, "the harbour")
	next.ParentID, next.Reuse = first.ID, db.Continued
	suite.Queue(t, s, &next)
	next = suite.Bring(t, s, next.ID, db.Success, suite.Day)
	for _, id := range []int64{first.ID, next.ID} {
		_, err := s.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
			return t.Keep([]db.Media{{Kind: db.Video, Hash: fmt.Sprint("h", id), CreatedAt: suite.Day}}, true)
		})
		must(t, err)
	}
	share := gallery.Share{Token: secrets.NewToken(), TaskID: first.ID, Story: true, CreatedBy: ann.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day.Add(time.Hour), May: gallery.Decide}
	must(t, s.Links.AddShare(t.Context(), &share))
	mara := suite.AddGuest(t, s, share.ID, "Mara")
	must(t, s.Guests.Decide(t.Context(), review.Verdict{TaskID: first.ID, ShareID: share.ID, Guest: mara, Answer: review.Approved, ChangedAt: suite.Day}))
	all, err := s.Guests.Standings(t.Context(), []int64{first.ID, next.ID}, suite.Day)
	if must(t, err); all[first.ID].Answer() != review.Approved || all[next.ID].Answer() != review.Waiting || len(all[next.ID].Silent) != 1 {
		t.Errorf("%+v", all)
	}
	for a, want := range map[review.Answer]int64{review.Waiting: next.ID, review.Approved: first.ID} {
		tasks, err := s.Search.Tasks(t.Context(), gallery.Filter{Viewer: ann.ID, Now: suite.Day, Answers: []review.Answer{a}, Makers: []int64{ann.ID}, Limit: 10})
		if err != nil || len(tasks) != 1 || tasks[0].ID != want {
			t.Errorf("%s: %d found, %v", a, len(tasks), err)
		}
	}
}

// guestMails returns the mails to guests that wait, without claiming them.
func guestMails(t *testing.T, s *store.Store, kind outbox.MailKind) (found []outbox.Mail) {
	t.Helper()
	all, err := s.Mail.Mails(t.Context(), 100)
	must(t, err)
	for _, m := range all {
		if m.Kind == kind && !m.NextAt.IsZero() {
			found = append(found, m)
		}
	}
	return found
}

// A form with a name that is sent twice at once adds one guest with one note, or answer.
func TestAGuestIsAddedOnceForAToken(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	named := func(token, name string) review.Guest {
		return review.Guest{ShareID: share.ID, Token: token, Name: name, CreatedAt: suite.Day}
	}
	noting, answering := secrets.NewToken(), secrets.NewToken()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			g, n := named(noting, "Mara"), review.Note{TaskID: video.ID, ShareID: share.ID, Body: "redder", CreatedAt: suite.Day}
			if err := s.Notes.AddFirstNote(t.Context(), &g, &n); err != nil || g.ID == 0 || n.ID == 0 || g.Number != 1 {
				t.Errorf("%+v, %+v, %v", g, n, err)
			}
		})
		all.Go(func() {
			v := review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: named(answering, "Jo"), Answer: review.Changes, Body: "bluer", ChangedAt: suite.Day}
			if err := s.Guests.Decide(t.Context(), v); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	found, err := s.Notes.Of(t.Context(), video.ID)
	if err != nil || len(found) != 2 {
		t.Errorf("%d notes, %v", len(found), err)
	}
	again := named(noting, "Another name")
	must(t, s.Guests.AddGuest(t.Context(), &again))
	if visitors, err := s.Guests.Visitors(t.Context(), []int64{share.ID}); err != nil || len(visitors[share.ID]) != 2 || again.Name != "Mara" {
		t.Errorf("%+v, %q, %v", visitors, again.Name, err)
	}
	if n, err := s.Notes.HowMuchIsNew(t.Context(), ann.ID); err != nil || n != 2 {
		t.Errorf("%d news, %v", n, err)
	}
}

// subscribed adds a guest of the link who gave the address.
func subscribed(t *testing.T, s *store.Store, shareID int64, address string, now time.Time) (review.Guest, error) {
	t.Helper()
	g := review.Guest{ShareID: shareID, Token: secrets.NewToken(), Name: "Mara", Email: address, CreatedAt: now}
	return g, s.Guests.AddGuest(t.Context(), &g)
}

func TestAnAddressIsAskedOnceAndToldOfReplies(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share, other := deciding(t, s, video.ID, ann.ID), deciding(t, s, video.ID, ann.ID)
	mara, err := subscribed(t, s, share.ID, "Mara@example.com", suite.Day)
	must(t, err)
	again, err := subscribed(t, s, share.ID, "mara@EXAMPLE.com", suite.Day)
	must(t, err)
	asked := guestMails(t, s, outbox.MailConfirm)
	if len(asked) != 1 || asked[0].Address != "Mara@example.com" || asked[0].UserID != 0 {
		t.Fatalf("asked %+v", asked)
	}
	note := suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author(), Body: "larger"})
	reply := func(by review.Author, shareID int64, internal bool) {
		suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: note.ID, ShareID: shareID, Author: by, Body: fmt.Sprint("yes ", by, internal), Internal: internal})
	}
	replies := func() []review.Note {
		t.Helper()
		sub, err := s.Guests.SubscriptionOf(t.Context(), mara.ID)
		must(t, err)
		found, err := s.Notes.RepliesFor(t.Context(), sub, suite.Day)
		must(t, err)
		return found
	}
	reply(review.Author{UserID: ann.ID}, 0, false)
	if len(guestMails(t, s, outbox.MailReplies)) != 0 {
		t.Error("an address gets mails that nobody has confirmed")
	}
	sub, err := s.Guests.SubscriptionOf(t.Context(), again.ID)
	must(t, err)
	must(t, s.Guests.TurnMails(t.Context(), sub.ID, true, suite.Day))
	reply(again.Author(), share.ID, false) // the same person in another browser
	if len(guestMails(t, s, outbox.MailReplies)) != 0 {
		t.Error("somebody is told of what they wrote")
	}
	jo := suite.AddGuest(t, s, share.ID, "Jo")
	reply(jo.Author(), share.ID, false)
	reply(review.Author{UserID: ann.ID}, 0, false)
	if mails := guestMails(t, s, outbox.MailReplies); len(mails) != 1 || mails[0].NextAt != suite.Day.Add(5*time.Minute) || mails[0].Details.GuestID != sub.ID {
		t.Errorf("told %+v", mails)
	}
	if found := replies(); len(found) != 2 || found[0].Author.UserID != ann.ID || found[1].Author.GuestID != jo.ID {
		t.Errorf("the replies are %+v", found)
	}
	must(t, s.Guests.TurnMails(t.Context(), sub.ID, false, suite.Day))
	if sub, err := s.Guests.Subscription(t.Context(), sub.ID); err != nil || sub.IsOn() {
		t.Errorf("%+v, %v", sub, err)
	}
	_, err = subscribed(t, s, share.ID, "mara@example.com", suite.Day)
	if must(t, err); len(guestMails(t, s, outbox.MailConfirm)) != 1 {
		t.Error("somebody who wants no mails is asked again")
	}
	// On other links the address is asked, too, but at most three times an hour.
	_, err = subscribed(t, s, other.ID, "mara@example.com", suite.Day)
	must(t, err)
	third, fourth := deciding(t, s, video.ID, ann.ID), deciding(t, s, video.ID, ann.ID)
	if _, err = subscribed(t, s, third.ID, "mara@example.com", suite.Day); !errors.Is(err, review.ErrManyMails) {
		t.Errorf("a fourth mail: %v", err) // the second is about the replies
	}
	if _, err = s.Guests.Guest(t.Context(), third.ID, "x"); !errors.Is(err, db.ErrNotFound) {
		t.Error(err)
	}
	_, err = subscribed(t, s, fourth.ID, "mara@example.com", suite.Day.Add(2*time.Hour))
	must(t, err)
	must(t, s.Guests.DeleteGuest(t.Context(), mara.ID, suite.Day))
	must(t, s.Guests.DeleteGuest(t.Context(), again.ID, suite.Day))
	if _, err := s.Guests.Subscription(t.Context(), sub.ID); err != nil {
		t.Errorf("a third guest has the address: %v", err)
	}
}

func TestGuestsAreToldOfRepliesAsLongAsTheirLinkWorks(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	mara, err := subscribed(t, s, share.ID, "mara@example.com", suite.Day)
	must(t, err)
	sub, err := s.Guests.SubscriptionOf(t.Context(), mara.ID)
	must(t, err)
	must(t, s.Guests.TurnMails(t.Context(), sub.ID, true, suite.Day))
	note := suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author(), Body: "larger"})
	must(t, s.Links.RevokeShare(t.Context(), share.ID, suite.Day))
	suite.AddNote(t, s, review.Note{TaskID: video.ID, ParentID: note.ID, Author: review.Author{UserID: ann.ID}, Body: "yes"})
	if mails := guestMails(t, s, outbox.MailReplies); len(mails) != 0 {
		t.Errorf("told %+v", mails)
	}
	must(t, s.Guests.DeleteGuest(t.Context(), mara.ID, suite.Day))
	if _, err := s.Guests.Subscription(t.Context(), sub.ID); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("the address of a guest who was removed: %v", err)
	}
}

func TestALinkListsItsGuestsAndIsBroughtBack(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share, other := deciding(t, s, video.ID, ann.ID), deciding(t, s, video.ID, ann.ID)
	mara, tom := suite.AddGuest(t, s, share.ID, "Mara"), suite.AddGuest(t, s, share.ID, "Tom")
	suite.AddNote(t, s, review.Note{TaskID: video.ID, ShareID: share.ID, Author: mara.Author(), Body: "larger"})
	must(t, s.Guests.Decide(t.Context(), review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: review.Changes, ChangedAt: suite.Day}))
	found, err := s.Guests.Visitors(t.Context(), []int64{share.ID, other.ID})
	if of := found[share.ID]; err != nil || len(found) != 1 || len(of) != 2 || of[0].ID != mara.ID || of[0].Notes != 1 || len(of[0].Verdicts) != 1 || of[1].ID != tom.ID || of[1].Notes != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	ended := func(now time.Time) (ids []int64) {
		t.Helper()
		all, err := s.Links.EndedShares(t.Context(), video.ID, 0, now)
		must(t, err)
		for _, l := range all {
			ids = append(ids, l.ID)
		}
		return ids
	}
	must(t, s.Links.RevokeShare(t.Context(), share.ID, suite.Day))
	if ids := ended(suite.Day); !slices.Equal(ids, []int64{share.ID}) {
		t.Errorf("ended are %v", ids)
	}
	later := suite.Day.Add(48 * time.Hour) // the other one has ended by itself
	if ids := ended(later); !slices.Equal(ids, []int64{other.ID, share.ID}) {
		t.Errorf("ended are %v", ids)
	}
	if ids := ended(suite.Day.AddDate(1, 0, 0)); ids != nil {
		t.Errorf("ended long ago are %v", ids)
	}
	must(t, s.Links.BringBack(t.Context(), other.ID, later))
	back, err := s.Links.Share(t.Context(), other.ID)
	if err != nil || !back.Open(later) || back.ExpiresAt != later.AddDate(0, 0, gallery.UsualShareDays) {
		t.Errorf("%+v, %v", back, err)
	}
}
