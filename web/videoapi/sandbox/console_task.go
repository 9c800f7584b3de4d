package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"dailies/web/videoapi"
	"dailies/web/videoapi/option"
)

// A consoleForm holds a create call as a person fills it in, by the names of
// API.md, and what can be chosen.
type consoleForm struct {
	option.Text
	Wrong       string // the service's answer, if it refused the call
	Scenes      []videoapi.Scene
	Models      []videoapi.Model
	Resolutions []string
	Ratios      []string
}

func (c *console) formOf(r *http.Request) consoleForm {
	f := consoleForm{
		Text: option.Text{"prompt": r.PostFormValue("prompt"), "image_input": r.PostFormValue("image_input")}, Scenes: videoapi.Scenes(), Models: c.tasks.catalog.Models,
		Resolutions: []string{"480p", "720p", "1080p"},
		Ratios:      []string{"16:9", "9:16", "1:1", "4:3", "3:4", "21:9", "9:21"},
	}
	for _, name := range append(option.Names(), "scene", "model") {
		f.Text[name] = strings.TrimSpace(r.PostFormValue(name))
	}
	return f
}

// request returns the body of the create call, as a client sends it.
func (f consoleForm) request() ([]byte, error) {
	v := f.Values()
	switch {
	case f.Text["duration"] != "" && v.Duration < minSeconds:
		return nil, invalid("options.duration must be a whole number of seconds")
	case f.Text["seed"] != "" && v.Seed == nil:
		return nil, invalid("options.seed must be a whole number")
	}
	return json.Marshal(videoapi.Request{
		MediaType: videoapi.MediaType, Scene: videoapi.Scene(f.Text["scene"]), Model: f.Text["model"], Prompt: f.Text["prompt"],
		Options: videoapi.Options{Mode: f.Text["scene"], Values: v, ImageInput: strings.Fields(f.Text["image_input"]), HasAudio: v.Audio},
	})
}

func (c *console) showTasks(w http.ResponseWriter, r *http.Request, account string) error {
	return c.tasksPage(w, r, account, http.StatusOK, c.formOf(r))
}

// tasksPage shows the form, and the tasks with the states of their jobs.
func (c *console) tasksPage(w http.ResponseWriter, r *http.Request, account string, status int, f consoleForm) error {
	list, err := c.tasks.newest(r.Context(), account)
	if err != nil {
		return err
	}
	return c.page(w, r, account, status, "tasks", "Tasks", struct {
		Form  consoleForm
		Tasks []task
	}{f, list})
}

// makeTask makes the create call with the session instead of a key.
func (c *console) makeTask(w http.ResponseWriter, r *http.Request, account string) error {
	f := c.formOf(r)
	text, err := f.request()
	var t task
	if err == nil {
		t, err = c.tasks.create(r.Context(), account, text)
	}
	if why := new(refusal); errors.As(err, &why) {
		f.Wrong = why.message
		return c.tasksPage(w, r, account, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	return c.leave(w, r, "/tasks/"+t.ID, "The task is made, and its credits are deducted.", "")
}

// showTask shows a task's record without a query: the record stays as the last
// query left it.
func (c *console) showTask(w http.ResponseWriter, r *http.Request, account string) error {
	t, err := c.tasks.get(r.Context(), account, r.PathValue("id"))
	if err != nil {
		return err
	}
	rec, err := c.records.of(t)
	if err != nil {
		return err
	}
	text, err := json.Marshal(envelope{Message: "ok", Data: rec})
	if err != nil {
		return err
	}
	view := struct {
		Record       *record
		Raw          string          // the envelope
		Provider     videoapi.Status // the state of the job
		Video, Cover string          // paths; empty without a video
	}{Record: rec, Raw: string(text), Provider: t.Provider()}
	if t.Status == videoapi.Success {
		view.Video, view.Cover = pathOf(c.records.base+filePath+t.job.video), pathOf(c.records.base+filePath+t.job.cover)
	}
	return c.page(w, r, account, http.StatusOK, "task", "Task", view)
}

// queryTask makes the query call with the session instead of a key.
func (c *console) queryTask(w http.ResponseWriter, r *http.Request, account string) error {
	t, err := c.tasks.query(r.Context(), account, r.PathValue("id"))
	if err != nil {
		return err
	}
	return c.leave(w, r, "/tasks/"+t.ID, "Asked. The answer is below.", "")
}

// pretty returns JSON text with indents, and any other text as it is.
func pretty(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}
