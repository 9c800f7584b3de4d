package handlerstest

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/db/team"
	"dailies/web/videoapi"
)

// LastCost sets the video's options to 8 seconds, 16:9 and 720p, and its price.
// Estimates for further videos with these options are based on it.
func (h *Server) LastCost(t *testing.T, id int64, credits float64) {
	t.Helper()
	h.Change(t, id, func(t *db.Task) error {
		t.Options, t.Charged = db.Options{Duration: 8, AspectRatio: "16:9", Resolution: "720p"}, db.CreditsOf(credits)
		return nil
	})
}

// Reaches waits until the task is in the state.
func (h *Server) Reaches(t testing.TB, id int64, s db.State) db.Task {
	t.Helper()
	var task db.Task
	Eventually(t, "video is "+string(s), func() bool {
		var err error
		task, err = h.Store.Tasks.Task(t.Context(), id)
		must(t, err)
		return task.State == s
	})
	return task
}

// Queue adds the task and updates *task with what was stored.
func Queue(t testing.TB, s *store.Store, task *db.Task) {
	t.Helper()
	added, err := s.AddTasks(t.Context(), []db.Task{*task})
	must(t, err)
	*task = added[0]
}

// Film stores a finished video of the user, with a file. Change is called for the new
// task and again once it is finished.
func (h *Server) Film(t *testing.T, userID int64, change func(*db.Task)) db.Task {
	t.Helper()
	task := db.Task{
		UserID: userID, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "veo3"},
		State: db.Queued, CreatedAt: db.Now(),
	}
	change(&task)
	task.NextAt = task.CreatedAt.Add(time.Hour) // keeps a running watcher from sending it
	Queue(t, h.Store, &task)
	hash, size, err := h.Config.Media.Put(t.Context(), strings.NewReader(task.FormToken), 1<<20)
	must(t, err)
	task, err = h.Store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		now := db.Now()
		if err := t.Begin(now); err != nil {
			return err
		}
		done := db.Report{RemoteID: "r1", Status: "success", Charged: db.CreditsOf(30)}
		if err := errors.Join(t.Accept(done, now, now), t.Report(done, now, now)); err != nil {
			return err
		}
		t.Keeping, t.NextAt = db.Kept, time.Time{}
		t.Media = []db.Media{{Kind: db.Video, Hash: hash, Size: size, Type: "video/webm", CreatedAt: now}}
		change(t)
		return nil
	})
	must(t, err)
	return task
}

// Saying returns a change, for example for Film, that sets the prompt.
func Saying(prompt string) func(*db.Task) { return func(t *db.Task) { t.Prompt = prompt } }

// AddKept is AddTask with a video whose file is stored here.
func (h *Server) AddKept(t *testing.T, userID int64, content string) db.Task {
	t.Helper()
	task := h.AddTask(t, userID, db.Success)
	hash, size, err := h.Config.Media.Put(t.Context(), strings.NewReader(content), 1<<20)
	must(t, err)
	task, err = h.Store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		t.Keeping = db.Kept
		t.Media = append(t.Media, db.Media{Kind: db.Video, Hash: hash, Size: size, Type: "video/webm", CreatedAt: db.Now()})
		return nil
	})
	must(t, err)
	return task
}

// Made makes a video at the service without the app's knowledge, with the user's key,
// and returns its ID at the service.
func (h *Server) Made(t *testing.T, key string) string {
	t.Helper()
	answer, err := videoapi.NewClient(SandboxBase, &http.Client{Transport: h.Sandbox}).Create(t.Context(), key, videoapi.Request{
		MediaType: videoapi.MediaType, Scene: videoapi.TextToVideo, Model: "seedance-2.0", Prompt: "a paper boat",
	})
	must(t, err)
	return answer.Record.ID
}

// KeyOf gives the user a sandbox key with credits, and returns the key.
func (h *Server) KeyOf(t *testing.T, userID int64) string {
	t.Helper()
	key, err := h.Sandbox.NewKey(t.Context(), fmt.Sprint("account ", userID), 1000)
	must(t, err)
	vault, err := secrets.NewVault([]byte("a secret of the tests"))
	must(t, err)
	must(t, h.Store.Keys.PutKey(t.Context(), secrets.Key{
		UserID: userID, Sealed: vault.Seal(userID, key), Fingerprint: vault.Fingerprint(key), CreatedAt: db.Now(),
	}))
	return key
}

// AddTeamKey adds a sandbox key with credits to the team's keys. It is the standard
// key, which everybody without another key uses.
func (h *Server) AddTeamKey(t *testing.T, name string) team.Key {
	t.Helper()
	key, err := h.Sandbox.NewKey(t.Context(), name, 1000)
	must(t, err)
	k := team.Key{
		Name: name, Standard: true,
		Key: secrets.Key{LastFour: secrets.LastFour(key), Fingerprint: h.Config.Vault.Fingerprint(key), CreatedAt: db.Now()},
	}
	must(t, h.Store.Keys.AddTeamKey(t.Context(), &k, func(o secrets.KeyOwner) []byte { return h.Config.Vault.SealFor(o, key) }))
	return k
}

// Blob returns the path of a stored file.
func (h *Server) Blob(m db.Media) string {
	return filepath.Join(filepath.Dir(h.Database), "media", m.Hash[:2], m.Hash[2:])
}

// MadeAndKept makes a video of the user at the service, and waits until its files are
// stored.
func (h *Server) MadeAndKept(t testing.TB, p *Browser) db.Task {
	t.Helper()
	p.Post("/create/text-to-video", GoodForm()).Is(303)
	latest, err := h.Store.Tasks.LatestTasks(t.Context(), 1, 1)
	must(t, err)
	return h.Kept(t, latest[0].ID)
}

// Kept waits until the video's files are stored, and returns the task.
func (h *Server) Kept(t testing.TB, id int64) (task db.Task) {
	t.Helper()
	Eventually(t, "the video is kept", func() bool {
		var err error
		task, err = h.Store.Tasks.Task(t.Context(), id)
		must(t, err)
		return task.Keeping == db.Kept
	})
	return task
}

// LongFilm returns a stored video of 2 MB.
func (h *Server) LongFilm(t testing.TB, userID int64) db.Task {
	t.Helper()
	film := h.KeptFilm(t, userID, "a long film")
	content := make([]byte, 2<<20)
	for i := range content {
		content[i] = byte(i * 7 / 3)
	}
	hash, size, err := h.Config.Media.Put(t.Context(), bytes.NewReader(content), int64(len(content)))
	must(t, err)
	return h.Alter(t, film.ID, func(t *db.Task) {
		t.Media = append(t.Media, db.Media{Kind: db.Video, Position: 1, Hash: hash, Type: "video/webm", Size: size, CreatedAt: db.Now()})
	})
}

// Recipe returns a task of the user that uses every field of the form.
func (h *Server) Recipe(t *testing.T, userID int64, s db.State, change ...func(*db.Task)) db.Task {
	t.Helper()
	yes, seed := true, int64(77)
	task := db.Task{
		UserID: userID, FormToken: secrets.NewToken(), CreatedAt: db.Now(),
		Request: db.Request{Scene: "image-to-video", Model: "bytedance/v1-lite-image-to-video",
			Prompt:   "a paper boat sails",
			Pictures: []string{"https://example.com/boat.png"},
			Options:  db.Options{Duration: 10, Resolution: "1080p", CameraFixed: &yes, SafetyChecker: &yes, Seed: &seed}},
	}
	for _, c := range change {
		c(&task)
	}
	Queue(t, h.Store, &task)
	return h.Bring(t, task.ID, s)
}

// Bring advances a new task to the state, at a price of 30 credits.
func (h *Server) Bring(t *testing.T, id int64, s db.State) db.Task {
	t.Helper()
	task, err := h.Store.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		now := db.Now()
		if err := t.Begin(now); err != nil {
			return err
		}
		return taken(t, db.Report{RemoteID: fmt.Sprint("r", id), Status: string(s), Charged: db.CreditsOf(30)})
	})
	must(t, err)
	return task
}

// Change applies the change to the task.
func (h *Server) Change(t *testing.T, id int64, change func(*db.Task) error) {
	t.Helper()
	_, err := h.Store.Tasks.UpdateTask(t.Context(), id, change)
	must(t, err)
}

// AddTask stores a task of the user in the given state.
func (h *Server) AddTask(t *testing.T, userID int64, s db.State) db.Task {
	t.Helper()
	task := db.Task{
		UserID: userID, FormToken: secrets.NewToken(), Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: "a paper boat"},
		State: db.Queued, CreatedAt: db.Now(),
	}
	if s == db.Queued {
		Queue(t, h.Store, &task)
		return task
	}
	task.NextAt = task.CreatedAt.Add(time.Hour) // keeps a running watcher from sending it
	Queue(t, h.Store, &task)
	task, err := h.Store.Tasks.UpdateTask(t.Context(), task.ID, func(t *db.Task) error {
		now := db.Now()
		if err := t.Begin(now); err != nil || s == db.Sending {
			return err
		}
		if s == db.Unconfirmed {
			return t.Lose("The video service gave no clear answer.", now)
		}
		return taken(t, db.Report{RemoteID: "r1", Status: string(s), Charged: db.CreditsOf(30), Reason: "too dark"})
	})
	must(t, err)
	return task
}

// taken applies the service's acceptance of the task and then its report. A finished
// video has no files to copy. A running one is next polled in an hour.
func taken(t *db.Task, says db.Report) error {
	now := db.Now()
	next := now.Add(time.Hour)
	if err := errors.Join(t.Accept(says, now, next), t.Report(says, now, next)); err != nil {
		return err
	}
	if t.State == db.Success {
		t.Keeping, t.NextAt = db.NothingToKeep, time.Time{}
	}
	return nil
}

// KeptFilm returns a finished video of the user whose file and cover are stored here.
func (h *Server) KeptFilm(t testing.TB, userID int64, prompt string) db.Task {
	t.Helper()
	task := db.Task{
		UserID: userID, FormToken: secrets.NewToken(),
		Request: db.Request{Scene: "text-to-video", Model: "veo3", Prompt: prompt, Options: db.Options{AspectRatio: "16:9"}},
		State:   db.Queued, CreatedAt: db.Now(),
	}
	task.NextAt = task.CreatedAt.Add(time.Hour) // keeps a running watcher from sending it
	Queue(t, h.Store, &task)
	var picture bytes.Buffer
	must(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 36))))
	video := h.File(t, db.Video, "video/webm", []byte("film of "+prompt))
	cover := h.File(t, db.Cover, "image/png", picture.Bytes())
	return h.Alter(t, task.ID, func(t *db.Task) {
		t.State, t.Keeping, t.Charged, t.NextAt = db.Success, db.Kept, db.CreditsOf(30), time.Time{}
		t.Media = append(t.Media, video, cover)
	})
}

// File stores the content as a file that can be added to a task.
func (h *Server) File(t testing.TB, kind db.MediaKind, mime string, content []byte) db.Media {
	t.Helper()
	hash, size, err := h.Config.Media.Put(t.Context(), bytes.NewReader(content), 1<<20)
	must(t, err)
	return db.Media{Kind: kind, Hash: hash, Type: mime, Size: size, CreatedAt: db.Now()}
}

// Alter applies a change that cannot fail to the task, and returns the task.
func (h *Server) Alter(t testing.TB, id int64, change func(*db.Task)) db.Task {
	t.Helper()
	task, err := h.Store.Tasks.UpdateTask(t.Context(), id, func(t *db.Task) error {
		change(t)
		return nil
	})
	must(t, err)
	return task
}

// Mine returns the user's tasks, oldest first.
func (h *Server) Mine(t *testing.T, userID int64) []db.Task {
	t.Helper()
	tasks, err := h.Store.Tasks.LatestTasks(t.Context(), userID, 100)
	must(t, err)
	slices.SortFunc(tasks, func(x, y db.Task) int { return int(x.ID - y.ID) })
	return tasks
}
