package sandbox

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"dailies/db/naming"
	"dailies/db/option"
	"dailies/web"
	"dailies/web/throttle"
	"dailies/web/videoapi"
)

//go:embed console/console.css console/icon.svg
var consoleFiles embed.FS

// A console serves the service's own site, with pages for keys, credits and
// tasks, behind a password. The pages need no JavaScript.
type console struct {
	*endpoints
	tries   *throttle.Throttle // limits attempts at the password, by client address
	proxies throttle.Proxies
}

// A consolePage handles a request whose session works with the account.
type consolePage func(r *http.Request, account string) (answer, error)

// addConsole adds the console's pages to the routes.
func addConsole(mux *http.ServeMux, config Config, calls *endpoints) error {
	c := &console{endpoints: calls, tries: throttle.New(10_000), proxies: config.Proxies}
	for _, asset := range []string{"console.css", "icon.svg"} {
		mux.Handle("GET /console/"+asset, http.FileServerFS(consoleFiles))
	}
	mux.Handle("GET /login", c.public(func(w http.ResponseWriter, r *http.Request) error { return c.loginPage(w, r, http.StatusOK, "") }))
	mux.Handle("POST /login", c.public(c.login))
	mux.Handle("POST /logout", c.public(c.logout))
	for pattern, page := range map[string]consolePage{
		"GET /{$}":               c.showTasks,
		"POST /tasks":            c.makeTask,
		"GET /tasks/{id}":        c.showTask,
		"POST /tasks/{id}/ask":   c.queryTask,
		"GET /keys":              c.showKeys,
		"POST /keys":             c.makeKey,
		"POST /keys/{id}/revoke": c.revokeKey,
		"GET /credits":           c.showCredits,
		"POST /credits":          c.addCredits,
		"POST /account":          c.chooseAccount,
	} {
		mux.Handle(pattern, c.signedIn(page))
	}
	return nil
}

// consolePolicy allows the console's own style, pictures and videos, and nothing
// inline.
const consolePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// public returns the handler of a page that needs no session.
func (c *console) public(page web.Handler) http.Handler {
	return c.sessions.origin.Handler(web.Headers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", consolePolicy)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := page(w, r); err != nil {
			c.fail(w, r, err)
		}
	})))
}

// An answer is a page or, after a form, a redirect to another page.
type answer struct {
	status int // HTTP status of the page; 0 means 200
	page   func(frame) templ.Component
	frame

	to string // path to redirect to; that page shows Said and NewKey; empty for a page
}

// A frame holds the values for the layout that all pages of the console share.
type frame struct {
	Title    string
	Said     string // message about the last form
	NewKey   string // shown only once
	Account  account
	Accounts []account
}

// after returns a redirect, in answer to a form, to a page that shows the message
// said.
func after(to, said string) answer { return answer{to: to, frame: frame{Said: said}} }

// signedIn returns the handler of a page that needs a session. Without a session,
// it redirects to the sign-in page.
func (c *console) signedIn(page consolePage) http.Handler {
	return c.public(func(w http.ResponseWriter, r *http.Request) error {
		account, err := c.sessions.account(r)
		if errors.Is(err, errNoAuth) {
			return web.SeeOther(w, r, "/login")
		}
		if err != nil {
			return err
		}
		a, err := page(r, account)
		if err != nil {
			return err
		}
		cookies := c.sessions.cookies
		if a.to != "" {
			if err := errors.Join(cookies.SetFlash(w, r, "said", a.Said), cookies.SetFlash(w, r, "key", a.NewKey)); err != nil {
				return err
			}
			return web.SeeOther(w, r, a.to)
		}
		said, err1 := cookies.TakeFlash(w, r, "said")
		key, err2 := cookies.TakeFlash(w, r, "key")
		all, err3 := c.accounts.all(r.Context())
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		a.Said, a.NewKey, a.Accounts = said, key, all
		for _, one := range all {
			if one.ID == account {
				a.Account = one
			}
		}
		return c.show(w, r, a)
	})
}

func (c *console) show(w http.ResponseWriter, r *http.Request, a answer) error {
	return web.Fragment(w, r, max(a.status, http.StatusOK), consoleLayout(a.frame, a.page(a.frame)))
}

// fail sends an error page.
func (c *console) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, message := http.StatusInternalServerError, "Something went wrong in the sandbox; its log says what."
	switch why := new(refusal); {
	case errors.Is(err, errNoTask), errors.Is(err, errNoPermission), errors.Is(err, ErrUnknownKey),
		errors.Is(err, strconv.ErrSyntax), errors.Is(err, strconv.ErrRange):
		status, message = http.StatusNotFound, "There is nothing at this address, or not for this account."
	case errors.As(err, &why):
		status, message = http.StatusUnprocessableEntity, why.message
	default:
		c.log.Error("sandbox: console", "path", r.URL.Path, "err", err)
	}
	if err := c.show(w, r,
		answer{status: status, page: func(f frame) templ.Component { return failure(f.Title, message) },
			frame: frame{Title: "Sorry"}}); err != nil {
		http.Error(w, message, status)
	}
}

// when formats a time for display, in UTC. The zero time becomes "".
func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateTime)
}

func (c *console) loginPage(w http.ResponseWriter, r *http.Request, status int, wrong string) error {
	return c.show(w, r,
		answer{status: status, page: func(frame) templ.Component { return loginForm(wrong) }, frame: frame{Title: "Sign in"}})
}

// login starts a session with the first account. Attempts are limited by client
// address, so that a stranger's guesses cannot lock out the owner.
func (c *console) login(w http.ResponseWriter, r *http.Request) error {
	limit := throttle.Rate{Name: throttle.Network(c.proxies.Client(r)), Burst: 5, Every: 5 * time.Second}
	attempt, wait := c.tries.Take(limit)
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		return c.loginPage(w, r, http.StatusTooManyRequests, "Too many tries. Please wait a few seconds.")
	}
	all, err := c.accounts.all(r.Context())
	if err == nil && len(all) == 0 {
		err = errors.New("there is no account yet")
	}
	if err != nil {
		return err
	}
	token, err := c.sessions.open(r.Context(), r.PostFormValue("password"), all[0].ID)
	switch {
	case errors.Is(err, errWrongPassword):
		return c.loginPage(w, r, http.StatusUnprocessableEntity,
			"This is not the password. The sandbox printed it at its first start; -password sets another one.")
	case err != nil:
		return err
	}
	attempt.GiveBack()
	if err := c.sessions.cookies.SetToken(w, r, token); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/")
}

func (c *console) logout(w http.ResponseWriter, r *http.Request) error {
	if err := errors.Join(c.sessions.end(r), c.sessions.cookies.SetToken(w, r, "")); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/login")
}

// chooseAccount switches the session to another account, or to a new one, so that
// an integrator sees how the service answers a key of another account.
func (c *console) chooseAccount(r *http.Request, _ string) (a answer, err error) {
	a.to = "/keys"
	id := r.PostFormValue("id")
	if id == "" {
		a.Said = "There is another account, with 1000 credits and a key of its own."
		if id, a.NewKey, err = c.accounts.open(r.Context(), keyName(r), firstCredits); err != nil {
			return a, err
		}
	}
	return a, c.sessions.choose(r, id)
}

func (c *console) showKeys(r *http.Request, account string) (answer, error) {
	keys, err := c.accounts.keys(r.Context(), account)
	return answer{page: func(f frame) templ.Component { return keyPage(f, keys) }, frame: frame{Title: "API keys"}}, err
}

func (c *console) makeKey(r *http.Request, account string) (a answer, err error) {
	a = after("/keys", "The key is made.")
	a.NewKey, err = c.accounts.addKey(r.Context(), account, keyName(r))
	return a, err
}

// keyName returns the name that a form gives to a key, with at most 60 characters.
func keyName(r *http.Request) string {
	return cmp.Or(naming.Short(r.PostFormValue("name"), 60), "unnamed")
}

func (c *console) revokeKey(r *http.Request, account string) (answer, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err == nil {
		err = c.accounts.revokeKey(r.Context(), account, id)
	}
	return after("/keys", "The key is revoked. Calls with it are refused from now on."), err
}

// creditsPart holds the values of the page about credits.
type creditsPart struct {
	Wrong  string // what is wrong with the form; empty if nothing is
	Ledger []Entry
}

func (c *console) showCredits(r *http.Request, account string) (answer, error) {
	ledger, err := c.accounts.ledger(r.Context(), account)
	return c.creditsPage(http.StatusOK, creditsPart{Ledger: ledger}), err
}

func (c *console) creditsPage(status int, part creditsPart) answer {
	return answer{status: status, page: func(f frame) templ.Component { return creditPage(f, part) }, frame: frame{Title: "Credits"}}
}

func (c *console) addCredits(r *http.Request, account string) (answer, error) {
	credits, err := strconv.ParseFloat(strings.TrimSpace(r.PostFormValue("credits")), 64)
	if err == nil {
		_, err = amountOf(credits)
	}
	if err != nil || credits == 0 {
		ledger, err := c.accounts.ledger(r.Context(), account)
		part := creditsPart{"Please give a number of credits above 0.", ledger}
		return c.creditsPage(http.StatusUnprocessableEntity, part), err
	}
	return after("/credits", "The credits are added."), c.accounts.topUp(r.Context(), account, credits)
}

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
		Text:   option.Text{"prompt": r.PostFormValue("prompt"), "image_input": r.PostFormValue("image_input")},
		Scenes: videoapi.Scenes(), Models: c.tasks.catalog.Models,
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
