package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"dailies/web/videoapi"
	"dailies/web/videoapi/option"
)

// A form is a create call as people fill it in.
type form struct {
	Scene, Model, Prompt, Pictures    string
	Duration, Resolution, Ratio, Seed string
	Sound                             string // "", "true" or "false"
	Wrong                             string // what the service said
	Scenes                            []videoapi.Scene
	Models                            []videoapi.Model
	Resolutions, Ratios               []string
}

func (s *Sandbox) formOf(r *http.Request) form {
	text := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	return form{
		Scene: text("scene"), Model: text("model"), Prompt: r.PostFormValue("prompt"), Pictures: r.PostFormValue("image_input"),
		Duration: text("duration"), Resolution: text("resolution"), Ratio: text("aspect_ratio"), Seed: text("seed"), Sound: text("generate_audio"),
		Scenes: videoapi.Scenes(), Models: s.catalog.Models,
		Resolutions: []string{"480p", "720p", "1080p"},
		Ratios:      []string{"16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21"},
	}
}

// request returns the body of the create call, the same that a client sends.
func (f form) request() ([]byte, error) {
	r := videoapi.Request{
		MediaType: videoapi.MediaType, Scene: videoapi.Scene(f.Scene), Model: f.Model, Prompt: f.Prompt,
		Options: videoapi.Options{
			Mode: f.Scene, Values: option.Values{Resolution: f.Resolution, AspectRatio: f.Ratio}, ImageInput: strings.Fields(f.Pictures),
		},
	}
	if f.Duration != "" {
		n, err := strconv.Atoi(f.Duration)
		if err != nil || n < minSeconds {
			return nil, invalid("options.duration must be a whole number of seconds")
		}
		r.Options.Duration = n
	}
	if f.Seed != "" {
		n, err := strconv.ParseInt(f.Seed, 10, 64)
		if err != nil {
			return nil, invalid("options.seed must be a whole number")
		}
		r.Options.Seed = &n
	}
	if sound, err := strconv.ParseBool(f.Sound); err == nil {
		r.Options.Audio, r.Options.HasAudio = &sound, &sound
	}
	return json.Marshal(r)
}

func (s *Sandbox) showTasks(w http.ResponseWriter, r *http.Request, account string) error {
	return s.tasksPage(w, r, account, http.StatusOK, s.formOf(r))
}

// tasksPage shows the form, and the tasks with what is really going on.
func (s *Sandbox) tasksPage(w http.ResponseWriter, r *http.Request, account string, status int, f form) error {
	list, err := s.lines(r.Context(), account)
	if err != nil {
		return err
	}
	frame, err := s.frameOf(w, r, "Tasks", account)
	if err != nil {
		return err
	}
	return s.show(w, status, "tasks", frame, struct {
		Form  form
		Tasks []line
	}{f, list})
}

// makeTask makes the create call with the session instead of a key.
func (s *Sandbox) makeTask(w http.ResponseWriter, r *http.Request, account string) error {
	f := s.formOf(r)
	text, err := f.request()
	var t task
	if err == nil {
		t, err = s.place(r.Context(), account, text)
	}
	if why := new(refusal); errors.As(err, &why) {
		f.Wrong = why.message
		return s.tasksPage(w, r, account, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	return s.leave(w, r, "/tasks/"+t.id, "The task is made, and its credits are deducted.", "")
}

// A taskView is what the page of a task shows.
type taskView struct {
	Record       *record
	Raw          string          // the envelope
	Provider     videoapi.Status // where the work really stands
	Video, Cover string          // paths; empty until there is something
}

// Ended reports whether asking will change nothing any more.
func (v taskView) Ended() bool { return v.Record.TaskInfo != "" || v.Record.TaskResult != "" }

// showTask shows a task's record without asking: the record stays where the
// last query moved it.
func (s *Sandbox) showTask(w http.ResponseWriter, r *http.Request, account string) error {
	t, err := s.taskOf(r.Context(), account, r.PathValue("id"))
	if err != nil {
		return err
	}
	rec, err := s.recordOf(t)
	if err != nil {
		return err
	}
	frame, err := s.frameOf(w, r, "Task", account)
	if err != nil {
		return err
	}
	text, err := json.Marshal(envelope{Message: "ok", Data: rec})
	if err != nil {
		return err
	}
	view := taskView{Record: rec, Raw: string(text), Provider: t.job.status()}
	if t.status == videoapi.Success {
		view.Video, view.Cover = pathOf(s.address(t.job.video)), pathOf(s.address(t.job.cover))
	}
	return s.show(w, http.StatusOK, "task", frame, view)
}

// askTask makes the query call with the session.
func (s *Sandbox) askTask(w http.ResponseWriter, r *http.Request, account string) error {
	t, err := s.ask(r.Context(), account, r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.leave(w, r, "/tasks/"+t.id, "Asked. The answer is below.", "")
}

// pretty returns JSON text for reading, or any other text as it is.
func pretty(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

// when returns a time for reading; nothing for the zero time.
func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// pathOf returns an address without its host: the console may be visited under
// another name than the one that results have.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}
