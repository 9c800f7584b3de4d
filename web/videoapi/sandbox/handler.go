package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// ServeHTTP serves the whole service: the two endpoints, the files and, where there
// is one, the console.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *Sandbox) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/api/ai/generate", s.faulty(createEndpoint, s.endpoint(s.generate)))
	mux.Handle("/api/ai/query", s.faulty("query", s.endpoint(s.query)))
	mux.Handle("GET /files/{name}", s.faulty("files", s.plain(s.files.serve)))
	if s.console != nil {
		s.consoleRoutes(mux)
	}
	mux.Handle("/", s.plain(func(http.ResponseWriter, *http.Request) error { return errNoSuchPath }))
	return mux
}

// generate answers the call of API.md, "Create task".
func (s *Sandbox) generate(r *http.Request, account string) (task, error) {
	text, err := body(r)
	if err != nil {
		return task{}, err
	}
	return s.place(r.Context(), account, text)
}

// place makes a task of the body of a create call.
func (s *Sandbox) place(ctx context.Context, account string, text []byte) (task, error) {
	o, err := readOrder(text, s.catalog)
	if err != nil {
		return task{}, err
	}
	if o.refused {
		return task{}, refuse(askedToRefuse)
	}
	return s.create(ctx, account, o)
}

// query answers the call of API.md, "Query task".
func (s *Sandbox) query(r *http.Request, account string) (task, error) {
	text, err := body(r)
	if err != nil {
		return task{}, err
	}
	in := parse(text)
	id := in.text("taskId")
	if id == "" {
		in.fail("taskId is missing")
	}
	if in.err != nil {
		return task{}, in.err
	}
	return s.ask(r.Context(), account, id)
}

// endpoint answers a call of an account with the task's record.
func (s *Sandbox) endpoint(call func(*http.Request, string) (task, error)) http.Handler {
	return s.plain(func(w http.ResponseWriter, r *http.Request) error {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			return errNotPost
		}
		account, err := s.authenticate(r)
		if err != nil {
			return err
		}
		t, err := call(r, account)
		if err != nil {
			return err
		}
		data, err := s.recordOf(t)
		if err != nil {
			return err
		}
		return reply(w, http.StatusOK, envelope{Message: "ok", Data: data})
	})
}

// authenticate finds the account of the caller.
//
// API.md: "Third-party callers send the header Authorization: Bearer <API_KEY>
// on every call." A call without that header may come from the console.
func (s *Sandbox) authenticate(r *http.Request) (string, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return s.sessionAccount(r)
	}
	scheme, key, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", errNoAuth
	}
	account, err := s.useKey(r.Context(), strings.TrimSpace(key))
	if errors.Is(err, ErrUnknownKey) {
		return "", errNoAuth
	}
	return account, err
}

// plain makes a handler of a function that returns an error.
func (s *Sandbox) plain(serve func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := serve(w, r)
		if err == nil {
			return
		}
		why := new(refusal)
		if !errors.As(err, &why) {
			why = &refusal{http.StatusInternalServerError, "internal error, please try again later"}
			if r.Context().Err() == nil {
				s.log.Error("sandbox: request", "path", r.URL.Path, "err", err)
			}
		}
		if err := reply(w, why.status, envelope{Code: -1, Message: why.message}); err != nil {
			s.log.Debug("sandbox: answer not sent", "err", err)
		}
	})
}

// reply writes an envelope.
func reply(w http.ResponseWriter, status int, e envelope) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	// The caller is gone if this fails; nobody is left to be told.
	_, _ = w.Write(append(text, '\n'))
	return nil
}
