package video_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/gallery"
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
	stands, err := s.Guests.Approvals(t.Context(), []int64{video.ID}, suite.Day)
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

func TestAnswersFromBeforeTheyWereNotesGoOn(t *testing.T) {
	path, raw := suite.Migrated(t, "053_answers.sql")
	for _, statement := range []string{
		`INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at)
			VALUES ('Ann', 'a@example.com', 'a@example.com', 'a@example.com', 'hash', 'admin', '', 0)`,
		`INSERT INTO tasks (user_id, form_token, scene, model, state, provider, created_at, options, pictures, prompt)
			VALUES (1, 'a', 'text-to-video', 'veo3', 'success', '', 0, '{}', '[]', 'a kite')`,
		`INSERT INTO shares (token, task_id, title, may, created_by, created_at, expires_at) VALUES (x'01', 1, '', 'decide', 1, 0, 9000000000000)`,
		`INSERT INTO guests (share_id, token, name, name_key, number, created_at) VALUES (1, x'01', 'Mara', 'mara', 1, 0), (1, x'02', 'Jo', 'jo', 1, 0)`,
		`INSERT INTO notes (task_id, share_id, guest_id, at, until, frame, body, mark, internal, created_at) VALUES (1, 1, 1, 0, 0, 0, 'nearer', '', 0, 1000)`,
		`INSERT INTO verdicts (task_id, guest_id, answer, body, changed_at) VALUES (1, 1, 'changes', 'red', 2000), (1, 2, 'approved', '', 1000)`,
		`INSERT INTO news (user_id, task_id, guest_id, created_at) VALUES (1, 1, 1, 2000)`,
	} {
		_, err := raw.Exec(statement)
		must(t, err)
	}
	s := suite.OpenAt(t, path)
	suite.Same(t, said(t, s, 1), []string{"changes: red -1", "approved:  -1", ": nearer 0"})
	news, err := s.Notes.New(t.Context(), 1, 10)
	must(t, err)
	if len(news) != 1 || news[0].Body != "red" || !news[0].IsAnswer() || !news[0].CreatedAt.Equal(time.UnixMilli(2000)) || news[0].ShareID != 1 {
		t.Errorf("%+v", news)
	}
	answer(t, s, review.Verdict{TaskID: 1, ShareID: 1, Guest: review.Guest{ID: 1}, Answer: review.Changes, Body: "blue", Position: review.Position{At: 500}})
	suite.Same(t, said(t, s, 1), []string{"changes: blue 500", "approved:  -1", "earlier changes: red -1", ": nearer 0"})
}

// Processes of the previous version write answers without notes, on Postgres, while an upgrade
// rolls.
func TestAnswersOfThePreviousVersionAreNotes(t *testing.T) {
	if !suite.OnServer() {
		t.Skip("SQLite files belong to one process")
	}
	s, raw := suite.OpenRaw(t)
	ann := suite.AddUser(t, s, "Ann")
	video := suite.Bring(t, s, suite.AddTask(t, s, ann.ID, "a boat").ID, db.Success, suite.Day)
	share := deciding(t, s, video.ID, ann.ID)
	mara := suite.AddGuest(t, s, share.ID, "Mara")
	previous := func(a review.Answer, body string) {
		t.Helper()
		_, err := raw.Exec(`
			INSERT INTO verdicts (task_id, guest_id, answer, body, changed_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (task_id, guest_id) DO UPDATE SET answer = excluded.answer, body = excluded.body, changed_at = excluded.changed_at`, video.ID, mara.ID, a, body, suite.Day.UnixMilli())
		must(t, err)
	}
	previous(review.Approved, "")
	suite.Same(t, said(t, s, video.ID), []string{"approved:  -1"})
	previous(review.Changes, "red")
	previous(review.Changes, "red")
	suite.Same(t, said(t, s, video.ID), []string{"changes: red -1"})
	previous(review.Changes, "blue")
	suite.Same(t, said(t, s, video.ID), []string{"changes: blue -1", "earlier changes: red -1"})
	answer(t, s, review.Verdict{TaskID: video.ID, ShareID: share.ID, Guest: mara, Answer: review.Changes, Body: "green", Position: review.Position{At: 500}})
	must(t, s.Notes.ChangeNote(t.Context(), noteOf(t, s, mara, video.ID), mara.Author(), "dark green", suite.Day))
	suite.Same(t, said(t, s, video.ID), []string{"changes: dark green 500", "earlier changes: red -1", "earlier changes: blue -1"})
	previous(review.Approved, "fine")
	suite.Same(t, said(t, s, video.ID), []string{"approved: fine -1", "earlier changes: red -1", "earlier changes: blue -1", "earlier changes: dark green 500"})
}
