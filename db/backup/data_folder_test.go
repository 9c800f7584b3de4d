package backup_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/backup"
	"dailies/db/media"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/store/sampletest"
)

const key = "sk-0123456789abcdefWXYZ"

// A dataFolder is a data folder that is open as in a running program.
type dataFolder struct {
	dir   string
	store *store.Store
	files *media.Store
}

func open(t testing.TB, dir string) *dataFolder {
	t.Helper()
	must(t, os.MkdirAll(dir+"/sandbox", 0o700))
	store := sampletest.Open(t, dir+"/dailies.db")
	files, err := media.Open(dir + "/media")
	must(t, err)
	return &dataFolder{dir, store, files}
}

// newDataFolder returns a data folder that has an account with a key, a secret, and videos.
func newDataFolder(t testing.TB, videos int) *dataFolder {
	t.Helper()
	h := open(t, t.TempDir()+"/data")
	must(t, os.WriteFile(h.dir+"/secret", []byte("the secret of this house\n"), 0o600))
	must(t, sampletest.AddUser(t, h.store, &db.User{Name: "Kim Doe", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
	vault, err := secrets.NewVault([]byte("the secret of this house\n"))
	must(t, err)
	must(t, h.store.Keys.PutKey(t.Context(), secrets.Key{UserID: 1, Sealed: vault.Seal(1, key), Fingerprint: vault.Fingerprint(key), LastFour: "WXYZ", CreatedAt: db.Now()}))
	h.upload(t, "a cat")
	played, err := store.Open(t.Context(), h.dir+"/sandbox/sandbox.db") // any database will do
	must(t, err)
	must(t, played.Settings.SetSetting(t.Context(), "who", "the sandbox"))
	must(t, played.Close())
	for i := range videos {
		h.make(t, fmt.Sprintf("video %d", i))
	}
	return h
}

// upload stores a picture.
func (h *dataFolder) upload(t testing.TB, content string) {
	t.Helper()
	hash, size, err := h.files.Put(t.Context(), strings.NewReader(content), 1000)
	must(t, err)
	must(t, h.store.Pictures.AddPicture(t.Context(), &ordering.Picture{UserID: 1, Token: secrets.NewToken(), Hash: hash, Type: "image/png", Size: size, Name: "cat.png", CreatedAt: db.Now()}))
}

// add queues a task.
func (h *dataFolder) add(t testing.TB, prompt string) int64 {
	t.Helper()
	task := db.Task{
		UserID: 1, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: prompt,
			Options: db.Options{Duration: 5, Resolution: "720p"}}, CreatedAt: db.Now(), Quoted: db.CreditsOf(30),
	}
	queue(t, h.store, &task)
	return task.ID
}

// make adds a finished video with a cover and stores its files.
func (h *dataFolder) make(t testing.TB, content string) db.Task {
	t.Helper()
	task, err := h.store.Tasks.UpdateTask(t.Context(), h.add(t, "a boat, "+content), func(task *db.Task) error {
		task.State, task.Keeping, task.DoneAt = db.Success, db.Kept, db.Now()
		task.RemoteID, task.Charged = "r-"+content, db.CreditsOf(29.5)
		task.Results = []db.Result{{Kind: db.Video, URL: "https://cdn.example.com/" + content}}
		for kind, mime := range map[db.MediaKind]string{db.Video: "video/webm", db.Cover: "image/jpeg", db.Thumb: "image/jpeg"} {
			hash, size, err := h.files.Put(t.Context(), strings.NewReader(string(kind)+" of "+content), 1<<20)
			if err != nil {
				return err
			}
			task.Media = append(task.Media, db.Media{Kind: kind, Hash: hash, Type: mime, Size: size, CreatedAt: db.Now()})
		}
		return nil
	})
	must(t, err)
	return task
}

// made returns all finished videos by ID.
func (h *dataFolder) made(t testing.TB) map[int64]db.Task {
	t.Helper()
	all := map[int64]db.Task{}
	must(t, h.store.Tasks.EachMade(t.Context(), func(task db.Task) error { all[task.ID] = task; return nil }))
	return all
}

func (h *dataFolder) content(t testing.TB, hash string) string {
	t.Helper()
	file, err := h.files.File(t.Context(), hash)
	must(t, err)
	defer file.Close()
	content, err := io.ReadAll(file)
	must(t, err)
	return string(content)
}

// write makes a backup and returns its path.
func (h *dataFolder) write(t testing.TB) string {
	t.Helper()
	file := t.TempDir() + "/backup.zip"
	var said bytes.Buffer
	must(t, backup.Write(t.Context(), backup.Location{Dir: h.dir}, file, &said))
	if !strings.Contains(said.String(), `"secret"`) {
		t.Errorf("it says nothing of the secret: %s", said.String())
	}
	return file
}

// queue adds the task, and sets task to what was added.
func queue(t testing.TB, s *store.Store, task *db.Task) {
	t.Helper()
	added, err := s.AddTasks(t.Context(), []db.Task{*task})
	must(t, err)
	*task = added[0]
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
