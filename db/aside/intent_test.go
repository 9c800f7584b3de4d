package aside_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/aside"
)

func intent(id int64) *aside.Intent {
	return &aside.Intent{
		Task: db.Task{
			ID: id, UserID: 1, FormToken: "token",
			Request: db.Request{Prompt: "a “boat”\nat\x00sea" + strings.Repeat("!", int(id)*2000)},
		},
		SentAt: noon.Add(time.Duration(id)),
	}
}

// reopened returns what another process would find.
func reopened(t *testing.T, dir string) (*aside.Intents, []*aside.Intent) {
	t.Helper()
	s, left, err := aside.OpenIntents(dir)
	must(t, err)
	return s, left
}

func TestIntentsAreReadBackAsFarAsTheCallWent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "answers")
	s, left := reopened(t, dir)
	if len(left) > 0 {
		t.Fatalf("before the first: %v", left)
	}
	stored, started, answered, dropped := intent(1), intent(2), intent(3), intent(4)
	for _, in := range []*aside.Intent{answered, stored, started, dropped} {
		must(t, s.Put(in))
	}
	must(t, started.Begin())
	must(t, answered.Begin())
	must(t, answered.Answer(note(3, "{}").Reply))
	must(t, s.Drop(dropped))
	must(t, s.Drop(dropped))
	_, found := reopened(t, dir)
	if len(found) != 3 {
		t.Fatalf("%d are found", len(found))
	}
	for i, in := range found {
		if in.Task.Prompt != intent(int64(i+1)).Task.Prompt || in.Begun != (i > 0) || in.MayHaveBegun() != (i > 0) ||
			(in.Reply != nil) != (i == 2) {
			t.Errorf("intent %d is %+v", i, in)
		}
	}
	if found[2].Reply.Report.RemoteID != "r“1”" {
		t.Errorf("the outcome is %+v", found[2].Reply)
	}
	// After a power cut, what was not synced may be missing.
	found[0].Boot = "an earlier run"
	if !found[0].MayHaveBegun() {
		t.Error("a power cut lost that the call had begun")
	}
	if notes, err := aside.In(dir).All(); len(notes) > 0 || err != nil {
		t.Errorf("intents are read as notes: %v, %v", notes, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "0.sending")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its file is %v, %v", info, err)
	}
}

// The next intent in a slot is shorter than the one before.
func TestASlotContainsNothingOfTheIntentBefore(t *testing.T) {
	dir := t.TempDir()
	s, _ := reopened(t, dir)
	for id := int64(3); id > 0; id-- {
		in := intent(id)
		must(t, s.Put(in))
		_, found := reopened(t, dir)
		if len(found) != 1 || found[0].Task.ID != id || found[0].Begun || found[0].Reply != nil {
			t.Errorf("found %+v", found)
		}
		must(t, in.Begin())
		if _, found := reopened(t, dir); !found[0].Begun || found[0].Reply != nil {
			t.Errorf("found %+v", found[0])
		}
		must(t, in.Answer(note(id, "{}").Reply))
		must(t, s.Drop(in))
		if text, err := os.ReadFile(filepath.Join(dir, "0.sending")); err != nil || strings.Trim(string(text), "\x00") != "" {
			t.Errorf("left is %q, %v", strings.Trim(string(text), "\x00"), err)
		}
	}
	if made, _ := filepath.Glob(dir + "/*"); len(made) != 1 {
		t.Errorf("made %q", made)
	}
	s, left := reopened(t, dir)
	must(t, s.Put(intent(1)))
	if made, _ := filepath.Glob(dir + "/*"); len(made) != 1 || len(left) > 0 {
		t.Errorf("made %q, left %v", made, left)
	}
}

func TestAnIntentThatIsCutShortIsNone(t *testing.T) {
	dir := t.TempDir()
	s, _ := reopened(t, dir)
	must(t, s.Put(intent(1)))
	path := filepath.Join(dir, "0.sending")
	whole, err := os.ReadFile(path)
	must(t, err)
	for n := 0; n < 2000; n += 100 {
		must(t, os.WriteFile(path, append(append([]byte{}, whole[:n]...), make([]byte, 100)...), 0o600))
		if _, found := reopened(t, dir); len(found) > 0 {
			t.Errorf("of %d bytes, %+v is found", n, found[0])
		}
	}
}

func FuzzParseIntent(f *testing.F) {
	dir := f.TempDir()
	s, _, err := aside.OpenIntents(dir)
	if err == nil {
		err = s.Put(intent(1))
	}
	if err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "0.sending"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		if in, err := aside.ParseIntent(text); err == nil &&
			(in.Task.ID <= 0 || in.Task.FormToken == "" || in.Reply != nil && in.Reply.TaskID != in.Task.ID) {
			t.Errorf("an intent of no task: %q", text)
		}
	})
}

// The version before reads what this one has written, and the other way round: fields keep
// the names that they have on disk. A field may be added: versions before do not read it.
func TestFieldsKeepTheirNamesOnDisk(t *testing.T) {
	for _, check := range []struct {
		value any
		names string
	}{
		{db.Task{}, "AcceptedAt Asked Attempts Batch Blame Bulk Cast Charged CreatedAt DecidedAt DeletedAt DeletedBy " +
			"DoneAt FailingSince FormToken Held ID Keeping KeyID MakingAt Media Message Model NextAt NoteIDs " +
			"Options ParentID PayerID Pictures Practice Private Progress Prompt Provider PurgedAt Quoted RecipeID " +
			"RefreshedAt RemoteID Results Returned ReturnedAt Reuse Scene SentAt SentPrompt ServiceID Stack " +
			"Starred State Status Tags Title Twins UpstreamID UserID UserName"},
		{db.Reply{}, "At Blame Message Next Report SentAt State TaskID"},
	} {
		text, err := json.Marshal(check.value)
		must(t, err)
		var fields map[string]any
		must(t, json.Unmarshal(text, &fields))
		for name := range strings.FieldsSeq(check.names) {
			if _, is := fields[name]; !is {
				t.Errorf("%T has no field %s on disk", check.value, name)
			}
		}
	}
}
