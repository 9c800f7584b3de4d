package sandbox

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"dailies/web"
	"dailies/web/throttle"
)

//go:embed console
var consoleFiles embed.FS

// A console is the service's own site, with keys, credits and tasks, for people
// who know the password. It needs no script.
type console struct {
	*endpoints
	pages   map[string]*template.Template // by name, each with the layout
	tries   *throttle.Throttle            // of passwords, by address
	proxies throttle.Proxies
}

// A consolePage answers a request of the session's account.
type consolePage func(w http.ResponseWriter, r *http.Request, account string) error

// addConsole adds the console's pages to the routes.
func addConsole(mux *http.ServeMux, config Config, calls *endpoints) error {
	c := &console{endpoints: calls, pages: map[string]*template.Template{}, tries: throttle.New(10_000), proxies: config.Proxies}
	for _, name := range []string{"login", "tasks", "task", "keys", "credits", "error"} {
		page, err := template.New("layout.html").Funcs(template.FuncMap{"when": when, "pretty": pretty, "path": pathOf}).
			ParseFS(consoleFiles, "console/layout.html", "console/"+name+".html")
		if err != nil {
			return fmt.Errorf("console: %w", err)
		}
		c.pages[name] = page
	}
	for _, asset := range []string{"console.css", "icon.svg"} {
		mux.Handle("GET /console/"+asset, http.FileServerFS(consoleFiles))
	}
	mux.Handle("GET /login", c.public(c.showLogin))
	mux.Handle("POST /login", c.public(c.login))
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
		"POST /logout":           c.logout,
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

// signedIn returns the handler of a page that needs a session. Without one it
// leads to the page for signing in.
func (c *console) signedIn(page consolePage) http.Handler {
	return c.public(func(w http.ResponseWriter, r *http.Request) error {
		account, err := c.sessions.account(r)
		if errors.Is(err, errNoAuth) {
			return web.SeeOther(w, r, "/login")
		}
		if err != nil {
			return err
		}
		return page(w, r, account)
	})
}

// fail answers an error with a page.
func (c *console) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, message := http.StatusInternalServerError, "Something went wrong in the sandbox; its log says what."
	switch why := new(refusal); {
	case errors.Is(err, errNoTask), errors.Is(err, errNoPermission), errors.Is(err, ErrUnknownKey), errors.Is(err, errNoSuchPath), errors.Is(err, strconv.ErrSyntax):
		status, message = http.StatusNotFound, "There is nothing at this address, or not for this account."
	case errors.As(err, &why):
		status, message = http.StatusUnprocessableEntity, why.message
	default:
		c.log.Error("sandbox: console", "path", r.URL.Path, "err", err)
	}
	if err := c.show(w, r, status, "error", frame{Title: "Sorry", Page: message}); err != nil {
		http.Error(w, message, status)
	}
}

// A frame holds what every page of the console shows around its own part.
type frame struct {
	Title    string
	Said     string // what the last form did
	NewKey   string // shown only once
	Account  account
	Accounts []account
	Page     any // the page's own part
}

// page shows a page to an account, with what the last form has left.
func (c *console) page(w http.ResponseWriter, r *http.Request, id string, status int, name, title string, part any) error {
	f := frame{Title: title, Page: part}
	var err error
	if f.Accounts, err = c.accounts.all(r.Context()); err != nil {
		return err
	}
	for _, a := range f.Accounts {
		if a.ID == id {
			f.Account = a
		}
	}
	if f.Said, err = c.sessions.cookies.Take(w, r, "said"); err != nil {
		return err
	}
	if f.NewKey, err = c.sessions.cookies.Take(w, r, "key"); err != nil {
		return err
	}
	return c.show(w, r, status, name, f)
}

func (c *console) show(w http.ResponseWriter, r *http.Request, status int, name string, f frame) error {
	return web.Fragment(w, r, status, templ.FromGoHTML(c.pages[name], f))
}

// leave ends a form: it leads to another page, which shows what was done and, if
// there is one, a new key.
func (c *console) leave(w http.ResponseWriter, r *http.Request, to, said, key string) error {
	if err := c.sessions.cookies.Leave(w, r, "said", said); err != nil {
		return err
	}
	if key != "" {
		if err := c.sessions.cookies.Leave(w, r, "key", key); err != nil {
			return err
		}
	}
	return web.SeeOther(w, r, to)
}

// when returns a time for people, or nothing for the zero time.
func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateTime)
}

// pathOf returns an URL's path: people may reach the console under another host
// than the one in the URLs of results.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}
