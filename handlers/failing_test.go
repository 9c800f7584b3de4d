package handlers_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db/store/failtest"
	"dailies/handlers/handlerstest"
	"dailies/web/scopetest"
)

// failing is an app whose database fails, with the users who send the requests.
type failing struct {
	*handlerstest.Server
	plan    *failtest.Plan
	state   *snapshot
	before  map[string]string // the rows of the state
	names   []string          // in braces, each followed by what it stands for
	ids     *strings.Replacer
	jars    map[string][]*http.Cookie // by user
	secrets map[string][]byte         // for one-time codes, by user
	photo   []byte
	token   string          // of a program of the owner
	tried   map[string]bool // the calls that have failed, by kind and statement
}

// first reports whether the call has not failed yet, and remembers that it does now.
func (f *failing) first(call string) bool {
	known := f.tried[call]
	f.tried[call] = true
	return !known
}

// An outcome is the answer to a request, and what it left in the database.
type outcome struct {
	status int
	place  string // where it leads to
	body   string
	flash  int // length of the cookie with the message that the next page shows
	log    string
	rows   map[string]string
	wrote  bool
	steady bool // the same request gets the same page
	calls  int
	failed string // the call that failed
}

// send sets the database back and sends the request, whose n-th call to the database
// fails.
func (f *failing) send(t *testing.T, r exampleRequest, who, part string, n int, lost bool) outcome {
	t.Helper()
	if r.isProgram() {
		time.Sleep(pace)
	}
	if f.state.changed(t) {
		f.state.restore(t)
	}
	f.state.refresh(t)
	if lost {
		f.plan.BeginLost(n)
	} else {
		f.plan.Begin(n)
	}
	return f.again(t, r, who, part)
}

// again sends the request to the database as it is.
func (f *failing) again(t *testing.T, r exampleRequest, who, part string) outcome {
	t.Helper()
	f.Log.Take()
	a := f.answer(t, f.browser(t, who), r, who, part)
	o := outcome{status: a.StatusCode, place: f.state.steady.text(a.Header.Get("Location")), body: f.state.steady.text(a.Text), log: f.Log.Take()}
	if strings.HasPrefix(o.body, broken) {
		o.status = http.StatusInternalServerError // the dialect of the service has only its envelope to say so
	}
	for _, c := range a.Cookies() {
		if strings.Contains(c.Name, "flash") {
			o.flash = len(c.Value)
		}
	}
	o.calls, o.failed = f.plan.End()
	if o.rows = f.before; f.state.changed(t) {
		o.rows, o.wrote = f.state.dump(t), true
	}
	return o
}

// browser returns a browser of the user.
func (f *failing) browser(t *testing.T, who string) *handlerstest.Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	jar.SetCookies(handlerstest.MustURL(t, f.URL), f.jars[who])
	p := f.Stranger(t)
	p.Jar = jar
	return p
}

// answer sends the request with the browser of the user.
func (f *failing) answer(t *testing.T, p *handlerstest.Browser, r exampleRequest, who, part string) *handlerstest.Answer {
	t.Helper()
	method, _, _ := strings.Cut(r.pattern, " ")
	form, err := url.ParseQuery(f.ids.Replace(strings.ReplaceAll(r.form, "{code}", codeNow(f.secrets[who]))))
	must(t, err)
	switch path := f.ids.Replace(r.path); {
	case strings.HasPrefix(path, "/api/"):
		return f.ask(t, p, method, path, f.ids.Replace(r.form))
	case r.file != "":
		return p.Upload(path, form, []handlerstest.File{{Field: r.file, Name: "harbour.jpg", Content: f.photo}}, "HX-Request-Type", part)
	case method == http.MethodPost:
		return p.Post(path, form, "HX-Request-Type", part)
	default:
		return p.Get(path, "HX-Request-Type", part)
	}
}

// ask sends the request of a program with the owner's token.
func (f *failing) ask(t *testing.T, p *handlerstest.Browser, method, path, body string) *handlerstest.Answer {
	t.Helper()
	if strings.HasPrefix(method, "/") {
		method = http.MethodGet // the route is for all methods
	}
	return p.Tell(method, path, body, "Authorization", "Bearer "+f.token, "Content-Type", "application/json", "Idempotency-Key", "k")
}

// An exampleRequest is a request that succeeds while the database works. Names in braces
// are replaced with the IDs of fixtures.
type exampleRequest struct {
	pattern, path, form string
	file                string // the field of a picture that is sent with the form; empty for none
	who                 string // who sends it: "nobody", or the owner if it is empty
	tolerated
}

// name returns what the request is called.
func (r exampleRequest) name() string {
	method, _, some := strings.Cut(r.pattern, " ")
	if !some {
		method = http.MethodGet
	}
	name := method + " " + r.path
	for _, more := range []string{r.form, r.file} {
		if more != "" {
			name += " " + cut(more, 60)
		}
	}
	return name
}

// isProgram reports whether a program sends the request, with the token of the owner.
func (r exampleRequest) isProgram() bool { return strings.HasPrefix(r.path, "/api/") }

// pace is how long the test waits before each request of a program, which is sent twice at most.
// A token may send only so many in a minute, and the time of the test stands still otherwise.
const pace = 2 * time.Minute / 300

// TestNoAnswerHidesThatTheDatabaseFailed sends every request as often as it calls the
// database, and makes another call fail each time. An answer that claims success has the
// same content, and the same effect, as if the database had worked. DAILIES_ROUTE limits
// it to routes whose pattern contains the text.
func TestNoAnswerHidesThatTheDatabaseFailed(t *testing.T) {
	scopetest.Whole(t)
	const apps = 4 // that are tested at the same time
	for i := range apps {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFailing(t)
				for n, r := range f.examples() {
					if (n/10)%apps == i && strings.Contains(r.pattern, os.Getenv("DAILIES_ROUTE")) {
						f.walk(t, r)
					}
				}
			})
		})
	}
}

func TestEveryRouteHasAnExample(t *testing.T) {
	app := handlerstest.New(t).App
	mux, named := http.NewServeMux(), map[string]bool{}
	for _, row := range app.Routes() {
		mux.Handle(row.Pattern, http.NotFoundHandler())
	}
	for _, r := range examplesOf(app) {
		named[r.name()] = true
		method, _, _ := strings.Cut(r.name(), " ")
		path, _, _ := strings.Cut(r.path, "?")
		if _, pattern := mux.Handler(&http.Request{Method: method, URL: &url.URL{Path: path}}); pattern != r.pattern {
			t.Errorf("%s is an example of %s, not of %s", r.name(), pattern, r.pattern)
		}
	}
	for name := range tolerations {
		if !named[name] {
			t.Errorf("%s is no example", name)
		}
	}
}

// sampled returns which of the calls of the request are made to fail: those whose statement
// has not failed yet in this run, and every sixteenth, beginning with another one for another
// request; or all of them if there is time.
func (f *failing) sampled(r exampleRequest, calls []string) (chosen []int) {
	long := scopetest.Long()
	for i, call := range calls {
		n := i + 1
		if f.first(call) || long || (n+len(r.path))%16 == 0 {
			chosen = append(chosen, n)
		}
	}
	return chosen
}

// few returns three of the calls, and those whose statement has not failed yet.
func (f *failing) few(r exampleRequest, calls []string) (chosen []int) {
	for i, call := range calls {
		if f.first(call) || i%max(1, len(calls)/3) == len(r.path)%3 {
			chosen = append(chosen, i+1)
		}
	}
	return chosen
}

// walk sends the request as its user, for a page and for a fragment, and if there is time
// as others. Every call to the database fails once.
func (f *failing) walk(t *testing.T, r exampleRequest) {
	t.Helper()
	who, long := cmp.Or(r.who, "owner"), scopetest.Long()
	f.walkAs(t, r, who, "full", f.sampled)
	if strings.HasPrefix(r.pattern, "GET /static/") {
		return
	}
	f.walkAs(t, r, who, "partial", f.few)
	if long && r.who == "" && !r.isProgram() {
		for _, who := range []string{"ada", "vi", "nobody"} {
			f.walkAs(t, r, who, "full", f.sampled)
		}
	}
}

func (f *failing) walkAs(t *testing.T, r exampleRequest, who, part string, choose func(exampleRequest, []string) []int) {
	t.Helper()
	want := f.send(t, r, who, part, 0, false)
	if want.status == http.StatusTooManyRequests {
		t.Errorf("%s %s as %s, %s: too many requests, so that nothing was tested", r.pattern, r.path, who, part)
	}
	calls, commits := f.plan.Calls(), f.plan.Commits()
	want.steady = want.status != http.StatusNotFound && f.send(t, r, who, part, 0, false).body == want.body
	seen := map[string]bool{}
	report := func(n int, got outcome, problems []string) {
		for _, p := range problems {
			if !seen[p] {
				t.Errorf("%s %s as %s, %s: call %d, %.90s: %s", r.pattern, r.path, who, part, n, got.failed, p)
			}
			seen[p] = true
		}
	}
	for _, n := range choose(r, calls) {
		got := f.send(t, r, who, part, n, false)
		report(n, got, f.problems(r, want, got))
		if got.status >= 500 && got.wrote {
			report(n, got, f.retried(t, r, who, part, want, !r.once))
		}
	}
	for _, n := range commits {
		got := f.send(t, r, who, part, n, true)
		if !got.wrote {
			continue // it only read
		}
		report(n, got, f.problems(r, want, got))
		if got.status >= 500 {
			report(n, got, f.retried(t, r, who, part, want, false))
		}
	}
	if testing.Verbose() {
		t.Logf("%s %s as %s, %s: %d %s, %d calls", r.pattern, r.path, who, part, want.status, want.place, want.calls)
	}
}

// retried sends a request again whose first answer was an error although something was
// written, and returns what is wrong with the answer. Unless the request does the same
// now, it must at least be refused.
func (f *failing) retried(t *testing.T, r exampleRequest, who, part string, want outcome, same bool) (found []string) {
	t.Helper()
	got := f.again(t, r, who, part)
	if same && (got.status != want.status || got.place != want.place) || got.status >= 500 {
		found = append(found, fmt.Sprintf("sent again: %d %q, want %d %q", got.status, got.place, want.status, want.place))
	}
	if strings.Count(got.rows["tasks"], "\n") > strings.Count(want.rows["tasks"], "\n") {
		found = append(found, "sent again, it makes a second video")
	}
	return found
}

// broken is how the dialect of the service says that something failed here.
const broken = `{"code":-1,"message":"internal error`

var ownLines = regexp.MustCompile(`panic: [^\\]*|[a-z_]*/[a-z_]*\.go:\d+`)

// neglected are the tables in which a write may be lost without a word, because that
// harms nobody: attempts and guesses that are not given back count as failed ones; the
// lease of a job ends by itself; versions are random.
var neglected = []string{"attempts", "guesses", "jobs", "versions"}

// problems returns what is wrong with the answer got, whose request met a failing
// database, compared with the answer want.
func (f *failing) problems(r exampleRequest, want, got outcome) (found []string) {
	if got.failed == "" {
		return nil
	}
	if strings.Contains(got.log, "panic") {
		found = append(found, "panic: "+strings.Join(ownLines.FindAllString(got.log, 8), " "))
	}
	for _, secret := range []string{"of the tests", "SELECT", "sqlite", "goroutine"} {
		if strings.Contains(got.body, secret) {
			found = append(found, "the page shows "+secret)
		}
	}
	if got.status == handlerstest.Aborted {
		return found
	}
	if got.status >= 500 {
		const sentence = "Something broke on our side. Nothing is lost; try again."
		if body := strings.TrimSpace(got.body); body != sentence && !strings.HasSuffix(body, "</html>") && !strings.HasPrefix(body, `{"status":`) && !strings.HasPrefix(body, broken) {
			found = append(found, fmt.Sprintf("no plain error: %.100s", body))
		}
		return found
	}
	if got.status == http.StatusSeeOther && got.place == r.or {
		return found
	}
	if got.status != want.status || got.place != want.place {
		return append(found, fmt.Sprintf("got %d %q, want %d %q: %.400s", got.status, got.place, want.status, want.place, got.log))
	}
	if got.flash != want.flash {
		found = append(found, "the next page shows another message")
	}
	if want.steady && !r.varies && got.body != want.body {
		found = append(found, "another page: "+firstDifference(want.body, got.body))
	}
	for table, d := range difference(want.rows, got.rows) {
		if !slices.Contains(neglected, table) && !slices.Contains(strings.Fields(r.loses), table) {
			found = append(found, fmt.Sprintf("%d, but a write is lost: %s: %s", got.status, table, d))
		}
	}
	return found
}

// firstDifference returns the texts around the first character in which they differ.
func firstDifference(want, got string) string {
	i := 0
	for i < min(len(want), len(got)) && want[i] == got[i] {
		i++
	}
	from := max(0, i-80)
	return fmt.Sprintf("%q instead of %q", got[from:min(len(got), i+120)], want[from:min(len(want), i+120)])
}
