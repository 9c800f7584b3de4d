package sandbox

import (
	"embed"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"dailies/web"
	"dailies/web/throttle"
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
	case errors.Is(err, errNoTask), errors.Is(err, errNoPermission), errors.Is(err, ErrUnknownKey), errors.Is(err, strconv.ErrSyntax), errors.Is(err, strconv.ErrRange):
		status, message = http.StatusNotFound, "There is nothing at this address, or not for this account."
	case errors.As(err, &why):
		status, message = http.StatusUnprocessableEntity, why.message
	default:
		c.log.Error("sandbox: console", "path", r.URL.Path, "err", err)
	}
	if err := c.show(w, r, answer{status: status, page: func(f frame) templ.Component { return failure(f.Title, message) }, frame: frame{Title: "Sorry"}}); err != nil {
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
