package sandbox

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"

	"dailies/web"
	"dailies/web/throttle"
)

//go:embed console
var consoleFiles embed.FS

// A console is the service's own site: keys, credits and tasks, for whoever
// knows the password. It needs no script.
type console struct {
	pages  map[string]*template.Template // each with the layout
	tries  *throttle.Throttle            // of passwords, by address
	origin *http.CrossOriginProtection

	cookies *web.Cookies // the session, and what the last form left
}

func newConsole() (*console, error) {
	c := &console{
		pages:  map[string]*template.Template{},
		tries:  throttle.New(10_000),
		origin: http.NewCrossOriginProtection(),
	}
	names, err := fs.Glob(consoleFiles, "console/*.html")
	if err != nil {
		return nil, err
	}
	help := template.FuncMap{"when": when, "pretty": pretty, "path": pathOf}
	for _, name := range names {
		page, err := template.New("layout.html").Funcs(help).ParseFS(consoleFiles, "console/layout.html", name)
		if err != nil {
			return nil, fmt.Errorf("console: %w", err)
		}
		c.pages[name[len("console/"):len(name)-len(".html")]] = page
	}
	return c, nil
}

// consoleRoutes adds the console's pages.
func (s *Sandbox) consoleRoutes(mux *http.ServeMux) {
	for _, asset := range []string{"console.css", "icon.svg"} {
		mux.Handle("GET /console/"+asset, http.FileServerFS(consoleFiles))
	}
	mux.Handle("GET /login", s.public(s.showLogin))
	mux.Handle("POST /login", s.public(s.login))
	for pattern, page := range map[string]func(http.ResponseWriter, *http.Request, string) error{
		"GET /{$}":               s.showTasks,
		"POST /tasks":            s.makeTask,
		"GET /tasks/{id}":        s.showTask,
		"POST /tasks/{id}/ask":   s.askTask,
		"GET /keys":              s.showKeys,
		"POST /keys":             s.makeKey,
		"POST /keys/{id}/revoke": s.endKey,
		"GET /credits":           s.showCredits,
		"POST /credits":          s.addCredits,
		"POST /account":          s.chooseAccount,
		"POST /logout":           s.logout,
	} {
		mux.Handle(pattern, s.signedIn(page))
	}
}

// consolePolicy allows the console's own style, pictures and videos, and
// nothing inline.
const consolePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// public draws a page for everybody.
func (s *Sandbox) public(page func(http.ResponseWriter, *http.Request) error) http.Handler {
	return s.console.origin.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", consolePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := page(w, r); err != nil {
			s.consoleFailed(w, r, err)
		}
	}))
}

// signedIn draws a page for the account of the session, and shows others the
// way in.
func (s *Sandbox) signedIn(page func(w http.ResponseWriter, r *http.Request, account string) error) http.Handler {
	return s.public(func(w http.ResponseWriter, r *http.Request) error {
		account, err := s.sessionAccount(r)
		if errors.Is(err, errNoAuth) {
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return nil
		}
		if err != nil {
			return err
		}
		return page(w, r, account)
	})
}

// consoleFailed answers what is no page.
func (s *Sandbox) consoleFailed(w http.ResponseWriter, r *http.Request, err error) {
	status, message := http.StatusInternalServerError, "Something went wrong in the sandbox; its log says what."
	switch why := new(refusal); {
	case errors.Is(err, errNoTask), errors.Is(err, errNoPermission), errors.Is(err, ErrUnknownKey), errors.Is(err, errNoSuchPath):
		status, message = http.StatusNotFound, "There is nothing at this address, or not for this account."
	case errors.As(err, &why):
		status, message = http.StatusUnprocessableEntity, why.message
	default:
		s.log.Error("sandbox: console", "path", r.URL.Path, "err", err)
	}
	if err := s.show(w, status, "error", frame{Title: "Sorry"}, message); err != nil {
		http.Error(w, message, status)
	}
}

// A frame is what every page of the console shows around its own part.
type frame struct {
	Title    string
	Said     string // what the last form did
	NewKey   string // shown this once
	Account  account
	Accounts []account
	Page     any // the page's own part
}

// frameOf returns the frame for an account, with what the last form left.
func (s *Sandbox) frameOf(w http.ResponseWriter, r *http.Request, title, id string) (frame, error) {
	f := frame{Title: title}
	var err error
	if f.Accounts, err = s.accounts(r.Context()); err != nil {
		return f, err
	}
	for _, a := range f.Accounts {
		if a.ID == id {
			f.Account = a
		}
	}
	if f.Said, err = s.console.cookies.Take(w, r, "said"); err != nil {
		return f, err
	}
	f.NewKey, err = s.console.cookies.Take(w, r, "key")
	return f, err
}

// leave ends a form: it shows the page at to, with a sentence about what was
// done and a new key, if there is one.
func (s *Sandbox) leave(w http.ResponseWriter, r *http.Request, to, said, key string) error {
	if err := s.console.cookies.Leave(w, r, "said", said); err != nil {
		return err
	}
	if key != "" {
		if err := s.console.cookies.Leave(w, r, "key", key); err != nil {
			return err
		}
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// show draws a page whole before anything is sent.
func (s *Sandbox) show(w http.ResponseWriter, status int, name string, f frame, page any) error {
	f.Page = page
	var b bytes.Buffer
	if err := s.console.pages[name].Execute(&b, f); err != nil {
		return fmt.Errorf("console: %s: %w", name, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the reader is gone if this fails
	return nil
}
