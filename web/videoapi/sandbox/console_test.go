package sandbox_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dailies/web/throttle"
	"dailies/web/videoapi/sandbox"
)

const password = "correct horse"

// A visitor is a browser that visits the console.
type visitor struct {
	*world
	site   string
	client *http.Client
}

// visit opens a sandbox with a console and signs in.
func visit(t *testing.T) visitor {
	t.Helper()
	w := openWith(t, t.TempDir(), 1000, func(c *sandbox.Config) { c.Console, c.Password = true, password })
	v := stranger(t, w)
	if page, status := v.post("/login", url.Values{"password": {password}}); status != 200 || !strings.Contains(page, "Make a task") {
		t.Fatalf("signing in: %d %s", status, page)
	}
	return v
}

// stranger returns a browser that has not signed in.
func stranger(t *testing.T, w *world) visitor {
	t.Helper()
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return visitor{w, server.URL, &http.Client{Jar: jar}}
}

func (v visitor) do(method, path, body string, header ...string) (string, int) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.site+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if policy := resp.Header.Get("Content-Security-Policy"); strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") &&
		(!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe")) {
		v.t.Errorf("%s %s: policy %q", method, path, policy)
	}
	return string(page), resp.StatusCode
}

func (v visitor) get(path string) string {
	v.t.Helper()
	page, status := v.do(http.MethodGet, path, "")
	if status != http.StatusOK {
		v.t.Errorf("GET %s: %d", path, status)
	}
	return page
}

func (v visitor) post(path string, form url.Values) (string, int) {
	v.t.Helper()
	return v.do(http.MethodPost, path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
}

func TestConsoleNeedsThePassword(t *testing.T) {
	v := visit(t)
	outside := stranger(t, v.world)
	for _, path := range []string{"/", "/keys", "/credits", "/tasks/x"} {
		if page := outside.get(path); !strings.Contains(page, `name="password"`) {
			t.Errorf("%s is open to strangers", path)
		}
	}
	for _, wrong := range []string{"", "x", password + "x"} {
		if page, status := outside.post("/login", url.Values{"password": {wrong}}); status != 422 || !strings.Contains(page, "not the password") {
			t.Errorf("%q: %d", wrong, status)
		}
	}
	var status int
	for range 5 {
		_, status = outside.post("/login", url.Values{"password": {"x"}})
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("the ninth try in a second: %d", status)
	}
	if page, _ := v.post("/logout", nil); !strings.Contains(page, `name="password"`) {
		t.Error("signing out does not lead out")
	}
	if page := v.get("/keys"); !strings.Contains(page, `name="password"`) {
		t.Error("the session holds after signing out")
	}
}

// Guesses from one address, even many at the same time, do not lock out the owner
// at another.
func TestConsoleCountsGuessesByAddress(t *testing.T) {
	proxies, err := throttle.ParseProxies("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	w := openWith(t, t.TempDir(), 1000, func(c *sandbox.Config) { c.Console, c.Password, c.Proxies = true, password, proxies })
	guess := func(v visitor, password, from string) int {
		_, status := v.do(http.MethodPost, "/login", url.Values{"password": {password}}.Encode(),
			"Content-Type", "application/x-www-form-urlencoded", "X-Forwarded-For", from)
		return status
	}
	v := stranger(t, w)
	var tried atomic.Int32
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			if guess(v, "x", "198.51.100.7") == http.StatusUnprocessableEntity {
				tried.Add(1)
			}
		})
	}
	all.Wait()
	if n := tried.Load(); n < 5 || n > 10 { // one more is allowed every five seconds
		t.Errorf("%d of 40 guesses were tried", n)
	}
	if status := guess(v, password, "198.51.100.7"); status != http.StatusTooManyRequests {
		t.Errorf("the address that guessed: %d", status)
	}
	for range 8 {
		owner := stranger(t, w)
		if status := guess(owner, password, "203.0.113.9"); status != http.StatusOK {
			t.Errorf("the owner: %d", status)
		}
	}
}

func TestConsoleMakesShowsAndRevokesKeys(t *testing.T) {
	v := visit(t)
	page, _ := v.post("/keys", url.Values{"name": {" My\nintegration <b> "}})
	key := regexp.MustCompile(`sk-[A-Z2-7]{32}`).FindString(page)
	if key == "" || !strings.Contains(page, "My integration &lt;b&gt;") {
		t.Fatalf("no key in %s", page)
	}
	if again := v.get("/keys"); strings.Contains(again, key) || !strings.Contains(again, "sk-…"+key[len(key)-4:]) || !strings.Contains(again, "never") {
		t.Error("the key is not shown whole just once, or not as unused")
	}
	v.key = key
	v.refused(v.world.post(query, `{"taskId":"x"}`), "task not found")
	page = v.get("/keys")
	if strings.Count(page, "never") != 1 { // the first key is unused
		t.Error("the key's last use is not shown")
	}
	revoke := regexp.MustCompile(`/keys/\d+/revoke`).FindString(page)
	if page, _ = v.post(revoke, nil); !strings.Contains(page, "Revoked") {
		t.Errorf("%s: not revoked", revoke)
	}
	for _, id := range []string{"x", "-1", "9223372036854775808"} {
		if _, status := v.post("/keys/"+id+"/revoke", nil); status != 404 {
			t.Errorf("key %s: %d", id, status)
		}
	}
	v.refused(v.world.post(query, `{"taskId":"x"}`), "no auth")
}

func TestConsoleTopsUpAndShowsTheLedger(t *testing.T) {
	v := visit(t)
	if page, _ := v.post("/credits", url.Values{"credits": {"12.5"}}); strings.Count(page, "topped up") != 2 || !strings.Contains(page, `<p class="big">1012.5</p>`) {
		t.Errorf("no 12.5 credits more in %s", page)
	}
	for _, wrong := range []string{"", "x", "0", "-1", "NaN", "1e300"} {
		if _, status := v.post("/credits", url.Values{"credits": {wrong}}); status != 422 {
			t.Errorf("%q: %d", wrong, status)
		}
	}
}

func TestConsoleMakesATaskWithTheSession(t *testing.T) {
	v := visit(t)
	page, _ := v.post("/tasks", url.Values{"scene": {"text-to-video"}, "model": {"tiny"}, "prompt": {"A <sea> #fail"}})
	ask := regexp.MustCompile(`/tasks/\w+/ask`).FindString(page)
	if ask == "" || !strings.Contains(page, "A &lt;sea&gt; #fail") {
		t.Fatalf("no task in %s", page)
	}
	for !strings.Contains(v.get(strings.TrimSuffix(ask, "/ask")), "In truth the work is at <b>failed</b>") {
		if t.Context().Err() != nil {
			t.Fatal("the work does not end")
		}
	}
	if page := v.get("/"); !strings.Contains(page, ">pending<") || !strings.Contains(page, ">failed<") || !strings.Contains(page, "994 credits") {
		t.Errorf("the list does not tell record and truth apart: %s", page)
	}
	if page, _ := v.post(ask, nil); !strings.Contains(page, "1000 credits") || !strings.Contains(page, "asked to fail") {
		t.Errorf("asking did not refund: %s", page)
	}
	for wrong, fields := range map[string]url.Values{
		"options.duration must be one of [8]": {"scene": {"text-to-video"}, "model": {"veo3"}, "prompt": {"my words"}, "duration": {"5"}},
		"a whole number of seconds":           {"scene": {"text-to-video"}, "model": {"tiny"}, "prompt": {"my words"}, "duration": {"x"}},
		"takes 1 picture with tiny, not 2":    {"scene": {"image-to-video"}, "model": {"tiny"}, "prompt": {"my words"}, "image_input": {wide + "\r\n" + tall}},
	} {
		if page, status := v.post("/tasks", fields); status != 422 || !strings.Contains(page, wrong) || !strings.Contains(page, "my words</textarea>") {
			t.Errorf("%q: %d %s", wrong, status, page)
		}
	}
}

// API.md: "Logged-in session authentication is also accepted, for calls from
// the service's own site."
func TestSessionCallsComeFromTheServicesOwnSite(t *testing.T) {
	v := visit(t)
	for name, c := range map[string]struct {
		header []string
		want   string
	}{
		"own site":   {[]string{"Sec-Fetch-Site", "same-origin"}, `"code":0`},
		"other site": {[]string{"Sec-Fetch-Site", "cross-site"}, "no auth, please sign in"},
		"other port": {[]string{"Sec-Fetch-Site", "same-site"}, "no auth, please sign in"},
		"old other":  {[]string{"Origin", "https://other.example"}, "no auth, please sign in"},
		"wrong key":  {[]string{"Authorization", "Bearer sk-wrong"}, "no auth, please sign in"},
	} {
		if page, _ := v.do(http.MethodPost, generate, body("", "", ""), append(c.header, "Content-Type", "application/json")...); !strings.Contains(page, c.want) {
			t.Errorf("%s: %s", name, page)
		}
	}
	if _, status := v.do(http.MethodPost, "/credits", "credits=5", "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "cross-site"); status != http.StatusForbidden {
		t.Errorf("another site's form: %d", status)
	}
	if page := v.get("/"); !strings.Contains(page, "994 credits") {
		t.Error("not exactly one task was paid")
	}
}

func TestConsoleShowsWhatAStrangersKeyIsAnswered(t *testing.T) {
	v := visit(t)
	v.post("/tasks", url.Values{"scene": {"text-to-video"}, "model": {"tiny"}, "prompt": {"Mine"}})
	task := regexp.MustCompile(`/tasks/(\w+)`).FindStringSubmatch(v.get("/"))
	page, _ := v.post("/account", url.Values{"name": {"second"}})
	v.key = regexp.MustCompile(`sk-[A-Z2-7]{32}`).FindString(page)
	v.refused(v.world.post(query, `{"taskId":"`+task[1]+`"}`), "no permission")
	if _, status := v.do(http.MethodGet, task[0], ""); status != http.StatusNotFound {
		t.Errorf("the first account's task: %d", status)
	}
}

func TestFirstKeyAndPasswordAreShownOnce(t *testing.T) {
	dir := t.TempDir()
	c := sandbox.Config{Dir: dir, Base: base, Fetch: http.DefaultClient, Console: true}
	welcome := func() sandbox.Welcome {
		t.Helper()
		s, err := sandbox.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		said, err := s.Welcome(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if said.Key != "" {
			if b, err := s.Balance(t.Context(), said.Key); err != nil || b != 1000 {
				t.Errorf("the first key has %v credits, %v", b, err)
			}
		}
		return said
	}
	c.Password = password
	if said := welcome(); said.Key == "" || said.Password != "" {
		t.Errorf("with a password of one's own: %+v", said)
	}
	c.Password = ""
	if said := welcome(); said.Key != "" || len(said.Password) != 16 {
		t.Errorf("the first start without: %+v", said)
	}
	if said := welcome(); said != (sandbox.Welcome{}) {
		t.Errorf("the next start: %+v", said)
	}
}

func TestAnotherPasswordEndsSessions(t *testing.T) {
	w := openWith(t, t.TempDir(), 0, func(c *sandbox.Config) { c.Console, c.Password = true, password })
	v := stranger(t, w)
	v.post("/login", url.Values{"password": {password}})
	w.stop()
	w = openWith(t, w.dir, 0, func(c *sandbox.Config) { c.Console, c.Password = true, "another horse" })
	next := stranger(t, w)
	u, _ := url.Parse(v.site)
	next.client.Jar.SetCookies(u, v.client.Jar.Cookies(u)) // both servers have the same host
	if page := next.get("/keys"); !strings.Contains(page, `name="password"`) {
		t.Error("the session outlives its password")
	}
}

func TestConsoleIsOffByDefault(t *testing.T) {
	w := start(t, 100)
	v := stranger(t, w)
	for _, path := range []string{"/", "/login", "/console/console.css"} {
		if _, status := v.do(http.MethodGet, path, ""); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}
