package suite_test

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
	"dailies/db/store"
	"dailies/db/store/video"
)

// address is that of an uploaded picture.
func address(p ordering.Picture) string { return "https://dailies.example.com" + p.Path() }

func newMember(by int64, handle string) cast.Member {
	return cast.Member{
		Handle: handle, Name: strings.ToUpper(handle), Kind: cast.Person, Look: "an ochre raincoat", Pictures: []string{"https://example.com/a.png"},
		Consent: cast.Consent{By: "Anna Lindqvist", On: time.Date(2026, 10, 3, 0, 0, 0, 0, time.UTC)}, CreatedBy: by, CreatedAt: day,
	}
}

func addMember(t *testing.T, s *store.Store, by int64, handle string) cast.Member {
	t.Helper()
	m := newMember(by, handle)
	must(t, s.Cast.Create(t.Context(), &m, nil))
	return m
}

func TestTheSecondOfTwoWhoChangeACastMemberLearnsOfTheFirst(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	m := newMember(ann.ID, "@Anna")
	m.Name = "ANNA"
	must(t, s.Cast.Create(t.Context(), &m, nil))
	got, err := s.Cast.Get(t.Context(), m.ID)
	must(t, err)
	same(t, got, m)
	if m.Version != 1 || m.MakerName != "Ann" || m.Consent.NotedName != "Ann" || m.Handle != "Anna" {
		t.Errorf("%+v", m)
	}

	hers, his := m, m
	hers.Look, hers.ChangedBy, hers.ChangedAt = "a red scarf", bo.ID, day.Add(time.Hour)
	changed, err := s.Cast.Change(t.Context(), hers, nil)
	must(t, err)
	if changed.Version != 2 || changed.Look != "a red scarf" || changed.ChangerName != "Bo" || changed.Consent.NotedName != "Ann" || !changed.ChangedAt.Equal(day.Add(time.Hour)) {
		t.Errorf("%+v", changed)
	}
	his.Name, his.ChangedBy, his.ChangedAt = "Anna L.", ann.ID, day.Add(2*time.Hour)
	_, err = s.Cast.Change(t.Context(), his, nil)
	wants(t, err, video.ErrMemberChanged)

	changed.Consent.On, changed.ChangedBy = changed.Consent.On.AddDate(0, 0, 1), bo.ID
	changed, err = s.Cast.Change(t.Context(), changed, nil)
	must(t, err)
	same(t, changed.Consent.NotedName, "Bo")

	must(t, s.Cast.Delete(t.Context(), m.ID, bo.ID, day))
	_, err = s.Cast.Change(t.Context(), changed, nil)
	wants(t, err, video.ErrMemberDeleted)
	wants(t, s.Cast.Delete(t.Context(), m.ID, bo.ID, day), video.ErrMemberDeleted)
	wants(t, s.Cast.Delete(t.Context(), 99, bo.ID, day), db.ErrNotFound)
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Noun: "cast", Limit: 9})
	must(t, err)
	var told []string
	for _, e := range entries {
		told = append(told, fmt.Sprint(e.Action, ": ", e.What, " ", e.After))
	}
	same(t, told, []string{"cast.delete: ANNA (@Anna) ", "cast.change: ANNA (@Anna) consent", "cast.change: ANNA (@Anna) look", "cast.make: ANNA (@Anna) person"})
}

func TestAHandleIsFreeAfterADeletion(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann")
	first, other := addMember(t, s, ann.ID, "Straße"), addMember(t, s, ann.ID, "other")
	again := newMember(ann.ID, "STRASSE")
	wants(t, s.Cast.Create(t.Context(), &again, nil), video.ErrHandleTaken)
	other.Handle, other.ChangedBy, other.ChangedAt = "strasse", ann.ID, day
	_, err := s.Cast.Change(t.Context(), other, nil)
	wants(t, err, video.ErrHandleTaken)
	found, err := s.Cast.ByHandles(t.Context(), []string{cast.Fold("STRAßE"), "nobody"})
	must(t, err)
	same(t, found, []cast.Member{first})

	must(t, s.Cast.Delete(t.Context(), first.ID, ann.ID, day))
	found, err = s.Cast.ByHandles(t.Context(), []string{cast.Fold("STRAßE")})
	must(t, err)
	same(t, len(found), 0)
	must(t, s.Cast.Create(t.Context(), &again, nil))
	wants(t, s.Cast.Restore(t.Context(), first.ID, day), video.ErrHandleTaken)
	must(t, s.Cast.Delete(t.Context(), again.ID, ann.ID, day.Add(time.Hour)))
	deleted, err := s.Cast.Deleted(t.Context())
	must(t, err)
	if len(deleted) != 2 || deleted[0].ID != again.ID {
		t.Errorf("deleted are %+v", deleted)
	}
	must(t, s.Cast.Restore(t.Context(), first.ID, day))
	wants(t, s.Cast.Restore(t.Context(), first.ID, day), db.ErrConflict)
	for i, want := range []int{0, 1, 0} { // it was deleted an hour after day
		n, err := s.Cast.SweepCast(t.Context(), day.Add(cast.Life+time.Duration(i)*time.Hour))
		if n != want || err != nil {
			t.Errorf("%d hours later, %d are gone, %v", i, n, err)
		}
	}
	_, err = s.Cast.Get(t.Context(), first.ID)
	must(t, err)
}

func TestTheCastIsFoundByTyping(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann")
	for handle, as := range map[string]struct {
		name string
		kind cast.Kind
	}{
		"anna": {"Anna Lindqvist", cast.Person}, "tea-tin": {"Nordlicht tea tin", cast.Product}, "安娜": {"安娜", cast.Person}, "cup": {"Anna’s red cup", cast.Product},
	} {
		m := newMember(ann.ID, handle)
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
	same(t, names, list)
	found, err := s.Cast.Find(t.Context(), "an", cast.Product)
	must(t, err)
	if len(found) != 1 || found[0].Handle != "cup" {
		t.Errorf("products: %+v", found)
	}
}

// Two processes add the last of the cast at the same moment.
func TestATeamHasALimitedCast(t *testing.T) {
	stores := two(t)
	s := stores[0]
	ann := addUser(t, s, "Ann")
	for i := range cast.MaxMembers - 1 {
		addMember(t, s, ann.ID, fmt.Sprint("m", i))
	}
	var all sync.WaitGroup
	errs := make([]error, 2)
	for i, s := range stores {
		all.Go(func() {
			m := newMember(ann.ID, fmt.Sprint("last", i))
			errs[i] = s.Cast.Create(t.Context(), &m, nil)
		})
	}
	all.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("%v, %v", errs[0], errs[1])
	}
	for _, err := range errs {
		if err != nil {
			wants(t, err, db.ErrFull)
		}
	}
	must(t, s.Cast.Delete(t.Context(), 1, ann.ID, day))
	addMember(t, s, ann.ID, "another")
	wants(t, s.Cast.Restore(t.Context(), 1, day), db.ErrFull)
}

// What was sent stays as it was, whatever becomes of the cast member.
func TestAVideoKeepsItsCast(t *testing.T) {
	s := open(t)
	ann, bo := addUser(t, s, "Ann"), addUser(t, s, "Bo")
	anna, cup := addMember(t, s, ann.ID, "anna"), addMember(t, s, ann.ID, "cup")
	add := func(private bool, members ...cast.Member) db.Task {
		task := newTask(ann.ID, "@anna lifts a cup")
		task.SentPrompt, task.Pictures, task.Private = "Anna lifts a cup", []string{"https://example.com/a.png"}, private
		for _, m := range members {
			task.Cast = append(task.Cast, cast.AppearanceOf(m, 0))
		}
		queue(t, s, &task)
		return bring(t, s, task.ID, db.Success, day)
	}
	both, secret := add(false, cup, anna), add(true, anna)
	add(false)
	if both.SentPrompt != "Anna lifts a cup" || both.Prompt != "@anna lifts a cup" {
		t.Errorf("%q is sent as %q", both.Prompt, both.SentPrompt)
	}
	anna.Look, anna.ChangedBy, anna.ChangedAt = "another look", ann.ID, day
	_, err := s.Cast.Change(t.Context(), anna, nil)
	must(t, err)
	must(t, s.Cast.Delete(t.Context(), cup.ID, ann.ID, day))
	kept, err := s.Cast.Of(t.Context(), both.ID)
	must(t, err)
	want := []cast.Appearance{cast.AppearanceOf(cup, 0), cast.AppearanceOf(anna, 0)}
	want[0].TaskID, want[1].TaskID, want[1].Look = both.ID, both.ID, "an ochre raincoat"
	same(t, kept, want)

	for viewer, seen := range map[int64]int{ann.ID: 2, bo.ID: 1} {
		uses, err := s.Cast.Uses(t.Context(), viewer, []int64{anna.ID, cup.ID, 99})
		must(t, err)
		same(t, uses, map[int64]int{anna.ID: seen, cup.ID: 1, 99: 0})
	}
	_, err = s.Tasks.UpdateTask(t.Context(), secret.ID, func(t *db.Task) error {
		return t.Keep([]db.Media{{Kind: db.Video, Hash: "h", CreatedAt: day}}, true)
	})
	must(t, err)
	_, err = s.Bin.DeleteTasks(t.Context(), ann, []int64{secret.ID}, day)
	must(t, err)
	uses, err := s.Cast.Uses(t.Context(), ann.ID, []int64{anna.ID})
	must(t, err)
	same(t, uses[anna.ID], 1)
}

// The addresses that were made for a cast member end with it, and those of a picture that it
// does not have any more, but not while a video that was submitted with them is running.
func TestAddressesEndWithTheCastMember(t *testing.T) {
	s := open(t)
	ann := addUser(t, s, "Ann")
	uploaded := newPicture(ann.ID, "a", day)
	must(t, s.Pictures.AddPicture(t.Context(), &uploaded))
	own := uploaded
	own.Token, own.Sealed = secrets.NewToken(), []byte("sealed for the cast")
	m := newMember(ann.ID, "anna")
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
	wants(t, s.Pictures.DeletePicture(t.Context(), uploaded.ID, day), video.ErrPictureInCast)
	n, err := s.Pictures.SweepPictures(t.Context(), day.Add(2*ordering.PictureLife))
	if n != 0 || err != nil {
		t.Fatalf("%d swept, %v", n, err)
	}

	task := newTask(ann.ID, "@anna")
	task.Pictures, task.Cast = []string{address(own)}, []cast.Appearance{cast.AppearanceOf(m, 0)}
	queue(t, s, &task)
	id := task.ID
	must(t, s.Cast.Delete(t.Context(), m.ID, ann.ID, day))
	public(true)
	here, err := s.Pictures.IsTokenOfService(t.Context(), own.Token)
	if here || err != nil {
		t.Errorf("an address that ends is used for new videos; %v", err)
	}
	bring(t, s, id, db.Success, day)
	public(false)
	must(t, s.Cast.Restore(t.Context(), m.ID, day))
	public(true)

	m, err = s.Cast.Get(t.Context(), m.ID)
	must(t, err)
	m.Pictures, m.ChangedBy, m.ChangedAt = []string{"https://example.com/b.png"}, ann.ID, day
	_, err = s.Cast.Change(t.Context(), m, nil)
	must(t, err)
	public(false)
	m.Version++
	m.Pictures = []string{"https://dailies.example.com/p/" + secrets.NewToken()}
	_, err = s.Cast.Change(t.Context(), m, nil)
	wants(t, err, video.ErrNoPicture)
}

func TestTheTeamCanRequireConsent(t *testing.T) {
	s := open(t)
	for _, required := range []bool{true, true, false} {
		must(t, s.Cast.RequireConsent(t.Context(), required, day))
		if is, err := s.Cast.RequiresConsent(t.Context()); err != nil || is != required {
			t.Errorf("required: %t, %v", is, err)
		}
	}
	entries, err := s.Audit.Entries(t.Context(), audit.Search{Action: audit.SettingChanged, Limit: 9})
	must(t, err)
	same(t, len(entries), 2)
	same(t, entries[0].Before+" "+entries[0].After, "required not required")
}
