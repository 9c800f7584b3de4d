package backup_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"dailies/db"
	"dailies/db/backup"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/outbox"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/db/team"
)

// A backup is made while videos are made. It contains everything from before it,
// and whatever else it contains is complete.
func TestBackupOfARunningAppComesBackTheSame(t *testing.T) {
	h := newDataFolder(t, 12)
	before := h.made(t)
	stop, working := make(chan struct{}), sync.WaitGroup{}
	working.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				h.make(t, fmt.Sprintf("late video %d", i))
			}
		}
	})
	file := h.write(t)
	close(stop)
	working.Wait()

	dir := t.TempDir() + "/new/data"
	must(t, backup.Restore(t.Context(), file, backup.Location{Dir: dir}, io.Discard))
	back := open(t, dir)
	restored, now := back.made(t), h.made(t)
	if len(restored) < len(before) {
		t.Errorf("%d videos came back of %d", len(restored), len(before))
	}
	for id := range before {
		if _, ok := restored[id]; !ok {
			t.Errorf("video %d is gone", id)
		}
	}
	for id, task := range restored {
		if !reflect.DeepEqual(task, now[id]) {
			t.Errorf("got %+v\nwant %+v", task, now[id])
		}
		for _, m := range task.Media {
			if got, want := back.content(t, m.Hash), h.content(t, m.Hash); got != want {
				t.Errorf("file %s: got %q, want %q", m.Hash, got, want)
			}
		}
	}
	must(t, back.store.Pictures.EachPicture(t.Context(), func(p ordering.Picture) error {
		if got := back.content(t, p.Hash); got != "a cat" {
			t.Errorf("the picture is %q", got)
		}
		return nil
	}))
	sameKey, err := back.store.Keys.Key(t.Context(), 1)
	must(t, err)
	if wantKey, err := h.store.Keys.Key(t.Context(), 1); err != nil || !reflect.DeepEqual(sameKey, wantKey) {
		t.Errorf("got %+v, want %+v, %v", sameKey, wantKey, err)
	}
	played, err := store.OpenToRead(t.Context(), dir+"/sandbox/sandbox.db")
	must(t, err)
	defer played.Close()
	if who, err := played.Settings.Setting(t.Context(), "who"); err != nil || who != "the sandbox" {
		t.Errorf("got %q, %v", who, err)
	}
	var report bytes.Buffer
	if err := backup.Check(t.Context(), backup.Location{Dir: dir}, &report); err != nil {
		t.Errorf("%v: %s", err, report.String())
	}
	if left, _ := filepath.Glob(dir + "/*"); len(left) > 8 {
		t.Errorf("it left %q", left)
	}
}

func TestBackupTellsNoSecret(t *testing.T) {
	h := newDataFolder(t, 1)
	file := h.write(t)
	z, err := zip.OpenReader(file)
	must(t, err)
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		if bytes.Contains(content, []byte(key)) || bytes.Contains(content, []byte("the secret of this house")) {
			t.Errorf("%s tells a secret", f.Name)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

func TestRecipeLiesBesideItsVideo(t *testing.T) {
	h := newDataFolder(t, 1)
	twin := h.make(t, "video 0") // the same files once more
	all := read(t, h.write(t))
	var recipe struct {
		ID      int64
		Prompt  string
		Model   string
		MadeBy  string `json:"made_by"`
		Options struct{ Duration int }
		Cost    float64 `json:"cost_credits"`
		Service string  `json:"service_id"`
		Files   []struct{ Kind, Name, SHA256 string }
	}
	for _, name := range []string{"videos/1.json", fmt.Sprintf("videos/%d.json", twin.ID)} {
		must(t, json.Unmarshal([]byte(all[name]), &recipe))
		if recipe.Prompt != "a boat, video 0" || recipe.Model != "veo3" || recipe.MadeBy != "Kim Doe" || recipe.Options.Duration != 5 ||
			recipe.Cost != 29.5 || recipe.Service != "r-video 0" || len(recipe.Files) != 3 {
			t.Errorf("%s: got %+v", name, recipe)
		}
		for _, f := range recipe.Files {
			if content := all["videos/"+f.Name]; content != f.Kind+" of video 0" {
				t.Errorf("%s is %q", f.Name, content)
			}
		}
	}
	if _, ok := all[fmt.Sprintf("videos/%d.webm", twin.ID)]; ok {
		t.Error("the same file is in it twice")
	}
}

// Backups and downloads describe in the same format how a video was made.
func TestRecipeInABackupHasTheFormatOfADownload(t *testing.T) {
	h := newDataFolder(t, 1)
	task := h.made(t)[1]
	var inBackup db.Making
	must(t, json.Unmarshal([]byte(read(t, h.write(t))["videos/1.json"]), &inBackup))
	if inBackup.ServiceID != "r-video 0" || len(inBackup.Addresses) != 1 || *inBackup.QuotedCredits != 30 || len(inBackup.Files) != 3 {
		t.Errorf("its receipt is not whole: %+v", inBackup)
	}
	inBackup.ServiceID, inBackup.Addresses, inBackup.QuotedCredits, inBackup.Files = "", nil, nil, db.MakingOf(task, true).Files
	if want := db.MakingOf(task, true); !reflect.DeepEqual(inBackup, want) {
		t.Errorf("got  %+v\nwant %+v", inBackup, want)
	}
}

// read returns the contents of every file in the archive, by name.
func read(t testing.TB, file string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(file)
	must(t, err)
	defer z.Close()
	all := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		all[f.Name] = string(content)
	}
	return all
}

func TestBackupOverwritesNothing(t *testing.T) {
	h := newDataFolder(t, 0)
	file := t.TempDir() + "/notes.txt"
	must(t, os.WriteFile(file, []byte("important"), 0o600))
	if err := backup.Write(t.Context(), backup.Location{Dir: h.dir}, file, io.Discard); err == nil {
		t.Error("it overwrites")
	}
	if err := backup.Write(t.Context(), backup.Location{Dir: t.TempDir()}, t.TempDir()+"/b.zip", io.Discard); err == nil {
		t.Error("an empty folder is backed up")
	}
	if content, err := os.ReadFile(file); err != nil || string(content) != "important" {
		t.Errorf("got %q, %v", content, err)
	}
}

func TestBackupOfADamagedFolderSaysWhatIsMissing(t *testing.T) {
	h := newDataFolder(t, 3)
	tasks := h.made(t)
	must(t, h.files.Remove(t.Context(), tasks[1].Media[0].Hash))
	damaged := tasks[2].Media[0].Hash
	must(t, os.WriteFile(h.dir+"/media/"+damaged[:2]+"/"+damaged[2:], []byte("oops"), 0o600))
	file := t.TempDir() + "/b.zip"
	var said bytes.Buffer
	if err := backup.Write(t.Context(), backup.Location{Dir: h.dir}, file, &said); !errors.Is(err, backup.ErrIncomplete) || strings.Count(said.String(), "missing or damaged: ") != 2 {
		t.Errorf("got %v: %s", err, said.String())
	}
	dir := t.TempDir() + "/data"
	said.Reset()
	must(t, backup.Restore(t.Context(), file, backup.Location{Dir: dir}, &said))
	if !strings.Contains(said.String(), "Missing already when the backup was made: 2 files. ") {
		t.Errorf("it says %s", said.String())
	}
	if err := backup.Check(t.Context(), backup.Location{Dir: dir}, io.Discard); !errors.Is(err, backup.ErrTrouble) {
		t.Errorf("got %v", err)
	}
	if got := open(t, dir).made(t); len(got) != 3 || !maps.EqualFunc(got, tasks, func(a, b db.Task) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("got %+v", got)
	}
}

// A task that waited to be sent may have been sent after the backup was made, so
// sending it again could be paid for twice.
func TestRestoredTasksAreNotSentByThemselves(t *testing.T) {
	h := newDataFolder(t, 1)
	queued, sending, running := h.add(t, "queued"), h.add(t, "sending"), h.add(t, "running")
	_, err := h.store.Tasks.UpdateTask(t.Context(), sending, func(t *db.Task) error { return t.Begin(db.Now()) })
	must(t, err)
	_, err = h.store.Tasks.UpdateTask(t.Context(), running, func(t *db.Task) error {
		return errors.Join(t.Begin(db.Now()), t.Accept(db.Report{RemoteID: "r", Status: "pending"}, db.Now(), db.Now()))
	})
	must(t, err)
	dir := t.TempDir() + "/data"
	var said bytes.Buffer
	must(t, backup.Restore(t.Context(), h.write(t), backup.Location{Dir: dir}, &said))
	back := open(t, dir)
	for id, want := range map[int64]db.State{queued: db.Unconfirmed, sending: db.Unconfirmed, running: db.Pending} {
		if task, err := back.store.Tasks.Task(t.Context(), id); err != nil || task.State != want {
			t.Errorf("task %d is %s, want %s, %v", id, task.State, want, err)
		}
	}
	if !strings.Contains(said.String(), "2 videos waited to be sent") {
		t.Errorf("it says %s", said.String())
	}
}

// Access that was revoked after the backup was made must not be open again.
func TestRestoreClosesAllAccess(t *testing.T) {
	h := newDataFolder(t, 1)
	now := db.Now()
	token := secrets.HashToken("a token")
	must(t, sampletest.AddSession(t, h.store, &signin.Session{UserID: 1, Token: token, CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(time.Hour)}))
	must(t, h.store.Links.AddShare(t.Context(), &gallery.Share{Token: "open", TaskID: 1, CreatedBy: 1, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}))
	opens, tells := h.connect(t)
	dir := t.TempDir() + "/data"
	var said bytes.Buffer
	must(t, backup.Restore(t.Context(), h.write(t), backup.Location{Dir: dir}, &said))
	for _, want := range []string{"1 session,\n0 unused join links, 0 password links, 1 share link, 0 recovery codes, 0 connected accounts,\n1 token of programs,",
		"Nothing is sent to 1 webhook until an admin confirms it on Team → Video service.\n1 delivery that waited", "1 open account, those of people who have left since included. Admins: Kim Doe.", "EMAIL -without-second-factor"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q but %s", want, said.String())
		}
	}
	back := open(t, dir)
	if _, _, err := back.store.Sessions.Session(t.Context(), token, now); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("a session goes on: %v", err)
	}
	if _, _, err := back.store.Links.OpenShare(t.Context(), "open", gallery.Opening{}, now); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("a share link is open: %v", err)
	}
	if opens(back.store) {
		t.Error("a token opens the API")
	}
	if tells(back.store) {
		t.Error("a webhook is told of something")
	}
	if _, err := back.store.Webhooks.Confirm(t.Context()); err != nil || tells(back.store) {
		t.Errorf("what waited in the backup is sent once an admin has confirmed the webhook, %v", err)
	}
	if !opens(h.store) || !tells(h.store) {
		t.Error("in the house that was backed up, they have ended")
	}
}

// connect adds a token, and a webhook for which a delivery waits. It returns functions that
// report whether the token opens the API of a house, and whether anything is sent to its
// webhooks.
func (h *dataFolder) connect(t *testing.T) (opens, tells func(*store.Store) bool) {
	t.Helper()
	now := db.Now()
	hash := secrets.HashToken("a token of programs")
	token := program.Token{UserID: 1, Name: "Importer", Start: "dly_1234", Hash: hash, May: program.Make, Cap: db.CreditsOf(100), CreatedAt: now, EndsAt: now.Add(time.Hour)}
	must(t, h.store.Programs.Add(t.Context(), &token))
	hook := outbox.Webhook{UserID: 1, Address: "https://hooks.example.com/", Events: []outbox.Event{outbox.VideoReady}, Standard: true, CreatedAt: now}
	must(t, h.store.Webhooks.Add(t.Context(), &hook, []byte("sealed"), 1))
	_, err := h.store.Webhooks.AddTest(t.Context(), hook.ID, 1, now)
	must(t, err)
	opens = func(s *store.Store) bool {
		_, _, err := s.Programs.Find(t.Context(), hash, now)
		_, _, byID := s.Programs.FindByID(t.Context(), token.ID, now)
		return err == nil || byID == nil
	}
	tells = func(s *store.Store) bool {
		due, err := s.Webhooks.ClaimDeliveries(t.Context(), "a", now.Add(time.Minute), now.Add(time.Minute+time.Millisecond), 9)
		must(t, err)
		return len(due) > 0
	}
	return opens, tells
}

// Whoever tries out a backup must not send anything to the team's video service by accident.
func TestARestoredBackupCallsNoServiceUntilAnAdminConfirmsIt(t *testing.T) {
	const practice, one, two = "http://practice.invalid", "https://one.example", "https://two.example"
	h := newDataFolder(t, 1)
	_, err := h.store.Services.Start(t.Context(), "", practice, db.Now())
	must(t, err)
	for _, address := range []string{one, two} {
		was, _, err := h.store.Services.Current(t.Context())
		must(t, err)
		k := &team.Key{Name: "Video service", Key: secrets.Key{LastFour: "1a2b", Fingerprint: []byte(address), CreatedAt: db.Now()}}
		must(t, h.store.Services.Connect(t.Context(), was.ID, address, k, func(secrets.KeyOwner) []byte { return []byte("sealed") }))
	}
	file := h.write(t)
	for _, fixed := range []string{"", one} {
		dir := t.TempDir() + "/data"
		var said bytes.Buffer
		must(t, backup.Restore(t.Context(), file, backup.Location{Dir: dir}, &said))
		if want := "Nothing is sent to " + one + ", " + two; !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q but %s", want, said.String())
		}
		back := open(t, dir).store
		held := func() (held []string) {
			all, err := back.Services.Services(t.Context())
			must(t, err)
			for _, s := range all {
				if s.Held {
					held = append(held, s.Address)
				}
			}
			return held
		}
		current, err := back.Services.Start(t.Context(), fixed, practice, db.Now())
		must(t, err)
		want := []string{one, two}
		if fixed != "" {
			want = []string{two}
		}
		if got := held(); !slices.Equal(got, want) || current.Sends() != (fixed != "") {
			t.Errorf("after a start with %q, %+v is used, and held are %q", fixed, current, got)
		}
		must(t, back.Services.Confirm(t.Context()))
		if got := held(); got != nil {
			t.Errorf("after an admin has confirmed them, held are %q", got)
		}
	}
}

// A backup of an earlier version does not say which service it was made with.
func TestARestoredPracticeModeWorksAtOnce(t *testing.T) {
	h := newDataFolder(t, 1)
	dir := t.TempDir() + "/data"
	must(t, backup.Restore(t.Context(), h.write(t), backup.Location{Dir: dir}, io.Discard))
	back := open(t, dir).store
	current, err := back.Services.Start(t.Context(), "", "http://practice.invalid", db.Now())
	must(t, err)
	if !current.Sends() || !current.Practice {
		t.Errorf("it uses %+v", current)
	}
}

func TestLeftoversOfAKilledBackupAreRemoved(t *testing.T) {
	h, dir := newDataFolder(t, 1), t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	make := func(name string, at time.Time, files ...string) string {
		path := filepath.Join(dir, name)
		must(t, os.Mkdir(path, 0o700))
		for _, f := range files {
			must(t, os.WriteFile(filepath.Join(path, f), []byte("half"), 0o600))
			must(t, os.Chtimes(filepath.Join(path, f), at, at))
		}
		must(t, os.Chtimes(path, at, at))
		return path
	}
	killed := make(".dailies-backup-1", time.Now(), "lock", "archive")
	working := make(".dailies-backup-2", old, "lock", "archive")
	before := make(".dailies-backup-3", old, "dailies.db", "archive") // of a version that did not lock
	writing := make(".dailies-backup-4", old)
	must(t, os.WriteFile(filepath.Join(writing, "archive"), nil, 0o600))
	must(t, os.Chtimes(writing, old, old))
	mine := make("photos", old, "cat.png")
	lock := flock.New(filepath.Join(working, "lock"))
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	defer func() { _ = lock.Unlock() }()

	must(t, backup.Write(t.Context(), backup.Location{Dir: h.dir}, filepath.Join(dir, "b.zip"), io.Discard))
	for path, stays := range map[string]bool{killed: false, working: true, before: false, writing: true, mine: true} {
		if _, err := os.Stat(path); stays != !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s stays %t, want %t", filepath.Base(path), !stays, stays)
		}
	}
	if left, err := filepath.Glob(dir + "/.dailies-backup-*"); err != nil || len(left) != 2 {
		t.Errorf("it left %q, %v", left, err)
	}
}
