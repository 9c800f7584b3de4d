package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"dailies/db/store/engine"
	"dailies/web"
	"dailies/web/videoapi"
)

// routes returns the handler of the whole service.
func routes(c Config, calls *endpoints, files *fileStore) (http.Handler, error) {
	f := &faultInjector{faults: c.Faults, seed: c.Seed, stall: c.Pace.Stall, log: c.Log}
	mux := http.NewServeMux()
	mux.Handle("/api/ai/generate", f.wrap(createEndpoint, calls.endpoint(calls.generate)))
	mux.Handle("/api/ai/query", f.wrap("query", calls.endpoint(calls.query)))
	mux.Handle("GET /healthz", calls.plain(live))
	mux.Handle("GET /readyz", calls.plain(calls.ready))
	mux.Handle("GET /files/{name}", f.wrap("files", calls.plain(files.serve)))
	mux.Handle("/", calls.plain(func(http.ResponseWriter, *http.Request) error { return errNoSuchPath }))
	if !c.Console {
		return mux, nil
	}
	return mux, addConsole(mux, c, calls)
}

// live answers "ok" as long as the process runs.
func live(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "ok\n")
	return nil
}

// ready answers whether the sandbox's database can be written to.
func (e *endpoints) ready(w http.ResponseWriter, r *http.Request) error {
	status, said := http.StatusOK, "ready\n"
	err := e.accounts.db.Write(r.Context(), func(tx *engine.Tx) { tx.Exec(`UPDATE account SET balance = balance WHERE id = ''`) })
	if err != nil {
		if r.Context().Err() == nil {
			e.log.Error("sandbox: not ready", "err", err)
		}
		status, said = http.StatusServiceUnavailable, "not ready: the sandbox cannot write to its database\n"
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, said)
	return nil
}

// endpoints answers the calls of API.md.
type endpoints struct {
	accounts *accounts
	sessions *sessions // nil without a console
	tasks    *tasks
	records  records
	log      *slog.Logger
}

// generate handles the call of API.md, "Create task".
func (e *endpoints) generate(r *http.Request, account string) (task, error) {
	text, err := body(r)
	if err != nil {
		return task{}, err
	}
	return e.tasks.create(r.Context(), account, text)
}

// query handles the call of API.md, "Query task".
func (e *endpoints) query(r *http.Request, account string) (task, error) {
	text, err := body(r)
	if err != nil {
		return task{}, err
	}
	var in struct {
		TaskID string `json:"taskId"`
	}
	if err := decode(text, "", &in); err != nil {
		return task{}, err
	}
	if in.TaskID == "" {
		return task{}, invalid("taskId is missing")
	}
	return e.tasks.query(r.Context(), account, in.TaskID)
}

// endpoint returns a handler that authenticates the caller and answers with the
// record of the task that call returns.
func (e *endpoints) endpoint(call func(*http.Request, string) (task, error)) http.Handler {
	return e.plain(func(w http.ResponseWriter, r *http.Request) error {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			return errNotPost
		}
		account, err := e.authenticate(r)
		if err != nil {
			return err
		}
		t, err := call(r, account)
		if err != nil {
			return err
		}
		data, err := e.records.of(t)
		if err != nil {
			return err
		}
		reply(w, http.StatusOK, envelope{Message: "ok", Data: data})
		return nil
	})
}

// authenticate returns the account of the caller.
//
// API.md: "Third-party callers send the header Authorization: Bearer <API_KEY>
// on every call." A call without that header may come from the console.
func (e *endpoints) authenticate(r *http.Request) (string, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return e.sessions.account(r)
	}
	scheme, key, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", errNoAuth
	}
	account, err := e.accounts.useKey(r.Context(), strings.TrimSpace(key))
	if errors.Is(err, ErrUnknownKey) {
		return "", errNoAuth
	}
	return account, err
}

// plain returns an http.Handler that answers errors with an envelope.
func (e *endpoints) plain(serve web.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := serve(w, r)
		if err == nil {
			return
		}
		why := new(refusal)
		if !errors.As(err, &why) {
			why = errBroken
			if r.Context().Err() == nil {
				e.log.Error("sandbox: request", "path", r.URL.Path, "err", err)
			}
		}
		reply(w, why.status, envelope{Code: -1, Message: why.message})
	})
}

// reply writes an envelope.
func reply(w http.ResponseWriter, status int, e envelope) {
	text, _ := json.Marshal(e) // an envelope can always be encoded
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // an error means that the caller has disconnected
}

// maxBody bounds the body of a request, in bytes.
const maxBody = videoapi.MaxBody

// body reads the body of a request, which must be a JSON object.
func body(r *http.Request) ([]byte, error) {
	if kind := r.Header.Get("Content-Type"); kind != "" {
		if t, _, err := mime.ParseMediaType(kind); err != nil || t != "application/json" {
			return nil, invalid("Content-Type must be application/json, not %s", quote(kind))
		}
	}
	b, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	tooLong := new(http.MaxBytesError)
	switch {
	case errors.As(err, &tooLong):
		return nil, invalid("the body is larger than 1 MiB")
	case err != nil:
		return nil, invalid("the body could not be read")
	case !utf8.Valid(b):
		return nil, invalid("the body is not valid UTF-8")
	case !json.Valid(b):
		return nil, invalid("the body is not JSON that can be read")
	case bytes.TrimSpace(b)[0] != '{':
		return nil, invalid("the body must be a JSON object")
	}
	return b, nil
}

// decode parses valid JSON text into a struct. If a field has the wrong type, the
// error names it, with the prefix in front.
func decode(text []byte, prefix string, dst any) error {
	err := json.Unmarshal(text, dst)
	wrong := new(json.UnmarshalTypeError)
	if err == nil {
		return nil
	}
	if !errors.As(err, &wrong) {
		return invalid("the body is not JSON that can be read")
	}
	kind := "an object"
	switch wrong.Type.Kind() {
	case reflect.String:
		kind = "a string"
	case reflect.Float64:
		kind = "a number"
	case reflect.Bool:
		kind = "true or false"
	case reflect.Slice:
		kind = "a list of strings"
	}
	// The path contains the names of embedded structs.
	name := prefix + wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
	return invalid("%s must be %s", strings.TrimSuffix(name, "."), kind)
}

// A refusal is an error that is sent to the caller: an envelope with code -1 and
// the message.
type refusal struct {
	status  int // HTTP status
	message string
}

// Error returns the message.
func (r *refusal) Error() string { return r.message }

// refuse returns a refusal. Like nearly every answer of the service, it has HTTP
// status 200.
func refuse(format string, args ...any) error {
	return &refusal{http.StatusOK, fmt.Sprintf(format, args...)}
}

// invalid refuses a request because of its content.
func invalid(format string, args ...any) error {
	return refuse("invalid params: "+format, args...)
}

var (
	errNoAuth       = refuse("no auth, please sign in")
	errNoTask       = refuse("task not found")
	errNoPermission = refuse("no permission")
	errNoSuchPath   = &refusal{http.StatusNotFound, "not found"}
	errNotPost      = &refusal{http.StatusMethodNotAllowed, "the method must be POST"}
	errBroken       = &refusal{http.StatusInternalServerError, "internal error, please try again later"}
)

// quote returns a caller's text in quotation marks, at most 60 characters of it.
func quote(s string) string { return fmt.Sprintf("%.60q", s) }
