package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"dailies/db/option"
	"dailies/web/videoapi"
)

// A consoleForm holds the values of a create call as typed by the user, under the
// names of API.md, and the choices that the form offers.
type consoleForm struct {
	option.Text
	Wrong       string // the service's message, if it refused the call
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

func scenesOf(f consoleForm) (names []string) {
	for _, s := range f.Scenes {
		names = append(names, string(s))
	}
	return names
}

func modelsOf(f consoleForm) (names []string) {
	for _, m := range f.Models {
		names = append(names, m.ID)
	}
	return names
}

// request returns the body of the create call, as a client would send it.
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

func (c *console) showTasks(r *http.Request, account string) (answer, error) {
	return c.tasksPage(r, account, http.StatusOK, c.formOf(r))
}

// tasksPage shows the form, and the tasks with the states of their jobs.
func (c *console) tasksPage(r *http.Request, account string, status int, f consoleForm) (answer, error) {
	list, err := c.tasks.newest(r.Context(), account)
	return answer{status: status, page: func(frame) templ.Component { return tasksPage(f, list) }, frame: frame{Title: "Tasks"}}, err
}

// makeTask carries out a create call, authenticated by the session instead of a
// key.
func (c *console) makeTask(r *http.Request, account string) (answer, error) {
	f := c.formOf(r)
	text, err := f.request()
	var t task
	if err == nil {
		t, err = c.tasks.create(r.Context(), account, text)
	}
	if why := new(refusal); errors.As(err, &why) {
		f.Wrong = why.message
		return c.tasksPage(r, account, http.StatusUnprocessableEntity, f)
	}
	return after("/tasks/"+t.ID, "The task is made, and its credits are deducted."), err
}

// showTask shows a task's record without a query: the record stays as the last
// query left it.
func (c *console) showTask(r *http.Request, account string) (answer, error) {
	t, err := c.tasks.get(r.Context(), account, r.PathValue("id"))
	if err != nil {
		return answer{}, err
	}
	rec, err := c.records.of(t)
	if err != nil {
		return answer{}, err
	}
	text, err := json.Marshal(envelope{Message: "ok", Data: rec})
	part := taskPart{Record: rec, Raw: string(text), Provider: t.Provider()}
	if t.Status == videoapi.Success {
		part.Video, part.Cover = filePath+t.job.video, filePath+t.job.cover
	}
	return answer{page: func(frame) templ.Component { return taskPage(part) }, frame: frame{Title: "Task"}}, err
}

// taskPart holds the values of the page about a task.
type taskPart struct {
	Record       *record
	Raw          string          // the envelope as JSON text
	Provider     videoapi.Status // the state of the job
	Video, Cover string          // paths, because the console may be reached under another host; empty without a video
}

func (p taskPart) title() string {
	if p.Record.Prompt == "" {
		return "A task without words"
	}
	return fmt.Sprintf("%.120s", p.Record.Prompt)
}

// queryTask carries out a query call, authenticated by the session instead of a
// key.
func (c *console) queryTask(r *http.Request, account string) (answer, error) {
	t, err := c.tasks.query(r.Context(), account, r.PathValue("id"))
	return after("/tasks/"+t.ID, "Asked. The answer is below."), err
}

// pretty indents JSON text, and returns any other text unchanged.
func pretty(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}
