package handlers_test

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"dailies/db"
	"dailies/db/store/failtest"
	"dailies/db/store/recordtest"
	"dailies/db/store/sampletest"
	"dailies/web/scopetest"
)

// TestRequestsCostWhatIsRecorded compares what the answers to requests cost with the files
// in testdata/figures, in a team with 2,000 videos and in one with 100,000. It fails if a
// figure is more than a tenth above or below the recorded one, or if SQLite executes a
// statement in another way. DAILIES_WRITE_FIGURES=1 records the figures anew, and
// DAILIES_ROUTE limits the test to routes whose pattern contains the text.
//
// Quick runs leave out the large team, and what is allocated. The race detector allocates
// for itself, so with it only what quick runs measure is compared.
func TestRequestsCostWhatIsRecorded(t *testing.T) {
	write := os.Getenv("DAILIES_WRITE_FIGURES") != ""
	whole := (write || !scopetest.Quick()) && !scopetest.Race
	sizes := []int{2_000}
	if whole {
		sizes = append(sizes, 100_000)
	}
	seen, measured := &recordtest.Recorder{}, 0
	for _, videos := range sizes {
		t.Run(fmt.Sprint(videos), func(t *testing.T) {
			measured++
			name := fmt.Sprint(videos)
			now, recorded := figures{memory: whole}, readFigures(t, name)
			synctest.Test(t, func(t *testing.T) {
				m := newMeasuring(t, videos, seen, whole)
				for _, r := range m.measuredRequests(recorded) {
					if strings.Contains(r.pattern, os.Getenv("DAILIES_ROUTE")) && !now.has(r.name()) {
						now.add(r.name(), m.cost(t, r))
					}
				}
			})
			if write {
				now.write(t, name)
			} else {
				now.compare(t, recorded)
			}
			t.Log(now.growth(readFigures(t, name+"-at-"+firstMeasured)))
		})
	}
	switch all := whole && measured == len(sizes) && os.Getenv("DAILIES_ROUTE") == ""; {
	case write && !all:
		t.Error("plans are recorded only if all requests are sent, without the race detector")
	case write:
		writePlans(t, seen)
	default:
		comparePlans(t, seen, all)
	}
	if t.Failed() && !write {
		t.Logf("if that is meant, record it in the same commit with %s", anew)
	}
}

// A measuredRequest is a request whose cost is recorded: a page unless part is set, with
// which htmx asks for a part of a page.
type measuredRequest struct {
	exampleRequest
	part string
}

// name returns what the request is called in the recorded files.
func (r measuredRequest) name() string {
	return strings.TrimSuffix(r.exampleRequest.name()+" "+r.part, " ")
}

// cut returns the beginning of the text.
func cut(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// measuredRequests returns the examples of each route, and requests that read much. They are in the
// order of the recorded ones, and new ones come last, because an answer uses the buffer of the one
// before: how much it grows depends on that.
func (m *measuring) measuredRequests(recorded *figures) (all []measuredRequest) {
	for _, r := range m.examples() {
		all = append(all, measuredRequest{exampleRequest: r})
	}
	all = append(all, busyRequests...)
	place := map[string]int{}
	for i, name := range recorded.names {
		place[name] = i - len(recorded.names)
	}
	slices.SortStableFunc(all, func(x, y measuredRequest) int { return place[x.name()] - place[y.name()] })
	return all
}

// A measuring is an app with the examples, and with the videos of a large team.
type measuring struct {
	*failing
	gauge  *gauge
	memory bool // measure what is allocated
}

// newMeasuring starts an app with so many videos. It must be called inside a synctest
// bubble.
func newMeasuring(t *testing.T, videos int, seen *recordtest.Recorder, memory bool) *measuring {
	t.Helper()
	g := &gauge{recorder: seen, plan: &failtest.Plan{}}
	g.plan.Observe = g.observe
	f := newExamples(t, g.plan)
	users, err := f.Store.Accounts.Users(t.Context())
	must(t, err)
	sampletest.FillBeside(t, f.Store, f.Database, users[:2], db.Now(), videos-20, 20)
	m := &measuring{f, g, memory}
	m.addBusy(t)
	f.state = newSnapshot(t, f.Database)
	g.app, err = f.App.Handler()
	must(t, err)
	return m
}

// addBusy adds to the examples what busyRequests name.
func (m *measuring) addBusy(t *testing.T) {
	t.Helper()
	owner := m.browser(t, "owner")
	takes := []db.Task{m.KeptFilm(t, 1, "a boat, once more")}
	for range 3 {
		take := m.KeptFilm(t, 1, "a boat, once more")
		owner.Post(fmt.Sprintf("/tasks/%d/stack", take.ID), url.Values{"with": {fmt.Sprint(takes[0].ID)}}).Is(303)
		takes = append(takes, take)
	}
	gallery := owner.Get("/gallery?who=me&scene=text-to-video&before=" + fmt.Sprint(takes[0].ID)).Is(200).Text
	finished := regexp.MustCompile(`id="task-(\d+)"`).FindStringSubmatch(gallery)[1]
	last, err := strconv.Atoi(finished)
	must(t, err)
	m.call(
		"{stacked}", fmt.Sprint(takes[0].ID), "{finished}", finished, "{middle}", fmt.Sprint(last/2), "{hundred}", fmt.Sprint(last-100),
		"{shared collection}", owner.Share("/collections/1", "Spring"), "{shared stack}", owner.Share(fmt.Sprintf("/tasks/%d", takes[0].ID), "A boat"),
		"{poll of the latest}", polledOn(owner, "/create/text-to-video", "latest").address,
		"{poll of the running}", polledOn(owner, m.ids.Replace("/tasks/{running}"), "status").address,
	)
}

// cost sends the request to the database as it was at first, and returns what the answer
// has cost. Somebody else has written before it, so that the app relies on nothing that it
// has read earlier; but the same request was answered once before, so that nothing is
// measured that happens only once. Where memory is measured, the request is sent three more
// times, and the least that was allocated counts.
func (m *measuring) cost(t *testing.T, r measuredRequest) cost {
	t.Helper()
	m.setBack(t)
	m.sent(t, r)
	m.setBack(t)
	c := m.sent(t, r)
	if strings.HasPrefix(r.pattern, "GET ") {
		c.Again = m.sent(t, r).Statements
	}
	if !m.memory {
		return c
	}
	collect()
	m.gauge.memory = true
	defer func() { m.gauge.memory = false }()
	for n := range 3 {
		m.setBack(t)
		got := m.sent(t, r)
		if n == 0 {
			c.Objects, c.Bytes = got.Objects, got.Bytes
		}
		c.Objects, c.Bytes = min(c.Objects, got.Objects), min(c.Bytes, got.Bytes)
	}
	return c
}

// setBack makes the database as it was at first, and commits a write.
func (m *measuring) setBack(t *testing.T) {
	t.Helper()
	if m.state.changed(t) {
		m.state.restore(t)
	}
	m.state.refresh(t)
}

// sent sends the request once.
func (m *measuring) sent(t *testing.T, r measuredRequest) cost {
	t.Helper()
	who := cmp.Or(r.who, "owner")
	m.Log.Take()
	p := m.browser(t, who)
	p.Transport = m.gauge
	if a := m.answer(t, p, r.exampleRequest, who, cmp.Or(r.part, "full")); a.StatusCode >= 500 {
		t.Errorf("%s: %d\n%s", r.name(), a.StatusCode, m.Log.Take())
	}
	return m.gauge.last
}

// collect frees memory, if there is much to free: it is not freed while requests are sent.
func collect() {
	var now runtime.MemStats
	if runtime.ReadMemStats(&now); now.HeapAlloc > 256<<20 {
		runtime.GC()
	}
}
