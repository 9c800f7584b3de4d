package video_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/cast"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/suite"
	"dailies/db/store/video"
)

// address is that of an uploaded picture.
func address(p ordering.Picture) string { return "https://dailies.example.com" + p.Path() }

func TestTheSecondOfTwoWhoChangeACastMemberLearnsOfTheFirst(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	m := suite.NewCastMember(ann.ID, "@Anna")
	m.Name = "ANNA"
	must(t, s.Cast.Create(t.Context(), &m, nil))
	got, err := s.Cast.Get(t.Context(), m.ID)
	must(t, err)
	suite.Same(t, got, m)
	if m.Version != 1 || m.MakerName != "Ann" || m.Consent.NotedName != "Ann" || m.Handle != "Anna" {
		t.Errorf("%+v", m)
	}

	hers, his := m, m
	hers.Look, hers.ChangedBy, hers.ChangedAt = "a red scarf", bo.ID, suite.Day.Add(time.Hour)
	changed, err := s.Cast.Change(t.Context(), hers, nil)
	must(t, err)
	if changed.Version != 2 || changed.Look != "a red scarf" || changed.ChangerName != "Bo" || changed.Consent.NotedName != "Ann" || !changed.ChangedAt.Equal(suite.Day.Add(time.Hour)) {
		t.Errorf("%+v", changed)
	}
	his.Name, his.ChangedBy, his.ChangedAt = "Anna L.", ann.ID, suite.Day.Add(2*time.Hour)
	_, err = s.Cast.Change(t.Context(), his, nil)
	suite.Wants(t, err, video.ErrMemberChanged)

	changed.Consent.On, changed.ChangedBy = changed.Consent.On.AddDate(0, 0, 1), bo.ID
	changed, err = s.Cast.Change(t.Context(), changed, nil)
	must(t, err)
	suite.Same(t, changed.Consent.NotedName, "Bo")

	must(t, s.Cast.Delete(t.Context(), m.ID, bo.ID, suite.Day))
	_, err = s.Cast.Change(t.Context(), changed, nil)
	suite.Wants(t, err, video.ErrMemberDeleted)
	suite.Wants(t, s.Cast.Delete(t.Context(), m.ID, bo.ID, suite.Day), video.ErrMemberDeleted)
	suite.Wants(t, s.Cast.Delete(t.Context(), 99, bo.ID, suite.Day), db.ErrNotFound)
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Noun: "cast", Limit: 9})
	must(t, err)
	var told []string
	for _, e := range entries {
		told = append(told, fmt.Sprint(e.Action, ": ", e.What, " ", e.After))
	}
	suite.Same(t, told, []string{"cast.delete: ANNA (@Anna) ", "cast.change: ANNA (@Anna) consent", "cast.change: ANNA (@Anna) look", "cast.make: ANNA (@Anna) person"})
}

func TestAHandleIsFreeAfterADeletion(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	first, other := suite.AddCastMember(t, s, ann.ID, "Straße"), suite.AddCastMember(t, s, ann.ID, "other")
	again := suite.NewCastMember(ann.ID, "STRASSE")
	suite.Wants(t, s.Cast.Create(t.Context(), &again, nil), video.ErrHandleTaken)
	other.Handle, other.ChangedBy, other.ChangedAt = "strasse", ann.ID, suite.Day
	_, err := s.Cast.Change(t.Context(), other, nil)
	suite.Wants(t, err, video.ErrHandleTaken)
	found, err := s.Cast.ByHandles(t.Context(), []string{cast.Fold("STRAßE"), "nobody"})
	must(t, err)
	suite.Same(t, found, []cast.Member{first})

	must(t, s.Cast.Delete(t.Context(), first.ID, ann.ID, suite.Day))
	found, err = s.Cast.ByHandles(t.Context(), []string{cast.Fold("STRAßE")})
	must(t, err)
	suite.Same(t, len(found), 0)
	must(t, s.Cast.Create(t.Context(), &again, nil))
	suite.Wants(t, s.Cast.Restore(t.Context(), first.ID, suite.Day), video.ErrHandleTaken)
	must(t, s.Cast.Delete(t.Context(), again.ID, ann.ID, suite.Day.Add(time.Hour)))
	deleted, err := s.Cast.Deleted(t.Context())
	must(t, err)
	if len(deleted) != 2 || deleted[0].ID != again.ID {
		t.Errorf("deleted are %+v", deleted)
	}
	must(t, s.Cast.Restore(t.Context(), first.ID, suite.Day))
	suite.Wants(t, s.Cast.Restore(t.Context(), first.ID, suite.Day), db.ErrConflict)
	for i, want := range []int{0, 1, 0} { // it was deleted an hour after day
		n, err := s.Cast.SweepCast(t.Context(), suite.Day.Add(cast.Life+time.Duration(i)*time.Hour))
		if n != want || err != nil {
			t.Errorf("%d hours later, %d are gone, %v", i, n, err)
		}
	}
	_, err = s.Cast.Get(t.Context(), first.ID)
	must(t, err)
}

func TestTheCastIsFoundByTyping(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	for handle, as := range map[string]struct {
		name string
		kind cast.Kind
	}{
		"anna": {"Anna Lindqvist", cast.Person}, "tea-tin": {"Nordlicht tea tin", cast.Product}, "安娜": {"安娜", cast.Person}, "cup": {"Anna’s red cup", cast.Product},
	} {
		m := suite.NewCastMember(ann.ID, handle)
		m.Name, m.Kind = as.name, as.kind
		must(t, s.Cast.Create(t.Context(), &m, nil))
	}
	for typed, want := range map[string]string{
		"": "anna 安娜 cup tea-tin", "AN": "anna cup", "@an": "anna cup", "lind": "anna", "tin": "tea-tin", "red cup": "cup", "安": "安娜", "nobody": "", "ea": "",
	} {
		found, err := s.Cast.Find(t.Context(), typed, "")
		must(t, err)
		var handles []string
		for _, m := range found {
			handles = append(handles, m.Handle)
		}
		if got := strings.Join(handles, " "); got != want {
			t.Errorf("%q finds %q, want %q", typed, got, want)
		}
	}
	list, err := s.Cast.List(t.Context())
	must(t, err)
	names, err := s.Cast.Names(t.Context())
	must(t, err)
	for i, m := range list {
		list[i] = cast.Member{ID: m.ID, Handle: m.Handle, Name: m.Name, Kind: m.Kind}
	}
	suite.Same(t, names, list)
	found, err := s.Cast.Find(t.Context(), "an", cast.Product)
	must(t, err)
	if len(found) != 1 || found[0].Handle != "cup" {
		t.Errorf("products: %+v", found)
	}
}

// Two processes add the last of the cast at the same moment.
func TestATeamHasALimitedCast(t *testing.T) {
	stores := suite.OpenTwice(t)
	s := stores[0]
	ann := suite.AddUser(t, s, "Ann")
	for i := range cast.MaxMembers - 1 {
		suite.AddCastMember(t, s, ann.ID, fmt.Sprint("m", i))
	}
	var all sync.WaitGroup
	errs := make([]error, 2)
	for i, s := range stores {
		all.Go(func() {
			m := suite.NewCastMember(ann.ID, fmt.Sprint("last", i))
			errs[i] = s.Cast.Create(t.Context(), &m, nil)
		})
	}
	all.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("%v, %v", errs[0], errs[1])
	}
	for _, err := range errs {
		if err != nil {
			suite.Wants(t, err, db.ErrFull)
		}
	}
	must(t, s.Cast.Delete(t.Context(), 1, ann.ID, suite.Day))
	suite.AddCastMember(t, s, ann.ID, "another")
	suite.Wants(t, s.Cast.Restore(t.Context(), 1, suite.Day), db.ErrFull)
}

// What was sent stays as it was, whatever becomes of the cast member.
func TestAVideoKeepsItsCast(t *testing.T) {
	s := suite.Open(t)
	ann, bo := suite.AddUser(t, s, "Ann"), suite.AddUser(t, s, "Bo")
	anna, cup := suite.AddCastMember(t, s, ann.ID, "anna"), suite.AddCastMember(t, s, ann.ID, "cup")
	add := func(private bool, members ...cast.Member) db.Task {
		task := suite.NewTask(ann.ID, "@anna lifts a cup")
		task.SentPrompt, task.Pictures, task.Private = "Anna lifts a cup", []string{"https://example.com/a.png"}, private
		for _, m := range members {
			task.Cast = append(task.Cast, cast.AppearanceOf(m, 0))
		}
		suite.Queue(t, s, &task)
		return suite.Bring(t, s, task.ID, db.Success, suite.Day)
	}
	both, secret := add(false, cup, anna), add(true, anna)
	add(false)
	if both.SentPrompt != "Anna lifts a cup" || both.Prompt != "@anna lifts a cup" {
		t.Errorf("%q is sent as %q", both.Prompt, both.SentPrompt)
	}
	anna.Look, anna.ChangedBy, anna.ChangedAt = "another look", ann.ID, suite.Day
	_, err := s.Cast.Change(t.Context(), anna, nil)
	must(t, err)
	must(t, s.Cast.Delete(t.Context(), cup.ID, ann.ID, suite.Day))
	kept, err := s.Cast.Of(t.Context(), both.ID)
	must(t, err)
	want := []cast.Appearance{cast.AppearanceOf(cup, 0), cast.AppearanceOf(anna, 0)}
	want[0].TaskID, want[1].TaskID, want[1].Look = both.ID, both.ID, "an ochre raincoat"
	suite.Same(t, kept, want)

	for viewer, seen := range map[int64]int{ann.ID: 2, bo.ID: 1} {
		uses, err := s.Cast.Uses(t.Context(), viewer, []int64{anna.ID, cup.ID, 99})
		must(t, err)
		suite.Same(t, uses, map[int64]int{anna.ID: seen, cup.ID: 1, 99: 0})
	}
	_, err = s.Tasks.UpdateTask(t.Context(), secret.ID, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: "h", CreatedAt: suite.Day}}, true)
	})
	must(t, err)
	_, err = s.Bin.DeleteTasks(t.Context(), ann, []int64{secret.ID}, suite.Day)
	must(t, err)
	uses, err := s.Cast.Uses(t.Context(), ann.ID, []int64{anna.ID})
	must(t, err)
	suite.Same(t, uses[anna.ID], 1)
}

// The addresses that were made for a cast member end with it, and those of a picture that it
// does not have any more, but not while a video that was submitted with them is running.
func TestAddressesEndWithTheCastMember(t *testing.T) {
	s := suite.Open(t)
	ann := suite.AddUser(t, s, "Ann")
	uploaded := newPicture(ann.ID, "a", suite.Day)
	must(t, s.Pictures.AddPicture(t.Context(), &uploaded))
	own := uploaded
	own.Token, own.Sealed = secrets.NewToken(), []byte("sealed for the cast")
	m := suite.NewCastMember(ann.ID, "anna")
	m.Pictures = []string{address(own)}
	must(t, s.Cast.Create(t.Context(), &m, []ordering.Picture{own}))
	public := func(want bool) {
		t.Helper()
		p, err := s.Pictures.Picture(t.Context(), own.Token)
		must(t, err)
		is, err := s.Pictures.IsPublic(t.Context(), p)
		must(t, err)
		if is != want || p.MemberID != m.ID {
			t.Errorf("of member %d it is public: %t", p.MemberID, is)
		}
		if usual, err := s.Pictures.Picture(t.Context(), uploaded.Token); err != nil || !usual.EndedAt.IsZero() || string(usual.Sealed) != string(uploaded.Sealed) {
			t.Errorf("the address that the upload got: %+v, %v", usual, err)
		}
	}
	public(true)
	suite.Wants(t, s.Pictures.DeletePicture(t.Context(), uploaded.ID, suite.Day), video.ErrPictureInCast)
	n, err := s.Pictures.SweepPictures(t.Context(), suite.Day.Add(2*ordering.PictureLife))
	if n != 0 || err != nil {
		t.Fatalf("%d swept, %v", n, err)
	}

	task := suite.NewTask(ann.ID, "@anna")
	task.Pictures, task.Cast = []string{address(own)}, []cast.Appearance{cast.AppearanceOf(m, 0)}
	suite.Queue(t, s, &task)
	id := task.ID
	must(t, s.Cast.Delete(t.Context(), m.ID, ann.ID, suite.Day))
	public(true)
	here, err := s.Pictures.IsTokenOfService(t.Context(), own.Token)
	if here || err != nil {
		t.Errorf("an address that ends is used for new videos; %v", err)
	}
	suite.Bring(t, s, id, db.Success, suite.Day)
	public(false)
	must(t, s.Cast.Restore(t.Context(), m.ID, suite.Day))
	public(true)

	m, err = s.Cast.Get(t.Context(), m.ID)
	must(t, err)
	m.Pictures, m.ChangedBy, m.ChangedAt = []string{"https://example.com/b.png"}, ann.ID, suite.Day
	_, err = s.Cast.Change(t.Context(), m, nil)
	must(t, err)
	public(false)
	m.Version++
	m.Pictures = []string{"https://dailies.example.com/p/" + secrets.NewToken()}
	_, err = s.Cast.Change(t.Context(), m, nil)
	suite.Wants(t, err, video.ErrNoPicture)
}

func TestTheTeamCanRequireConsent(t *testing.T) {
	s := suite.Open(t)
	for _, required := range []bool{true, true, false} {
		must(t, s.Cast.RequireConsent(t.Context(), required, suite.Day))
		if is, err := s.Cast.RequiresConsent(t.Context()); err != nil || is != required {
			t.Errorf("required: %t, %v", is, err)
		}
	}
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.SettingChanged, Limit: 9})
	must(t, err)
	suite.Same(t, len(entries), 2)
	suite.Same(t, entries[0].Before+" "+entries[0].After, "required not required")
}
