package handlers_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dailies/db/store/recordtest"
)

// firstMeasured is the commit whose figures are kept, so that all growth since can be summed
// up.
const firstMeasured = "723e357f"

// figures are the costs of requests.
type figures struct {
	costs  map[string]cost // by the name of the request
	names  []string        // in the order of the requests
	memory bool            // memory was measured
}

func (f *figures) add(name string, c cost) {
	if f.costs == nil {
		f.costs = map[string]cost{}
	}
	f.costs[name] = c
	f.names = append(f.names, name)
}

func (f *figures) has(name string) bool {
	_, ok := f.costs[name]
	return ok
}

// A kind is a kind of figures.
type kind struct {
	name   string
	of     func(*cost) *int
	slack  int  // by which a figure may differ, however small it is
	memory bool // it is only measured where memory is
}

var kinds = []kind{
	{"statements", func(c *cost) *int { return &c.Statements }, 0, false},
	{"again", func(c *cost) *int { return &c.Again }, 0, false},
	{"rows", func(c *cost) *int { return &c.Rows }, 0, false},
	{"objects", func(c *cost) *int { return &c.Objects }, 20, true},
	{"bytes", func(c *cost) *int { return &c.Bytes }, 4096, true},
	{"wire", func(c *cost) *int { return &c.Wire }, 24, false},
}

// differs reports whether the figure is more than a tenth above or below the recorded one.
func (k kind) differs(recorded, now int) bool {
	d := max(now-recorded, recorded-now)
	return 10*d > recorded && d > k.slack
}

// near reports whether the figure is so near the recorded one that another run may measure the
// recorded one.
func (k kind) near(recorded, now int) bool {
	d := max(now-recorded, recorded-now)
	return d <= k.slack || k.slack > 0 && 50*d <= recorded
}

// anew is the command that records the figures.
const anew = "DAILIES_WRITE_FIGURES=1 go test -run CostWhatIsRecorded ./handlers"

// compare fails the test for each figure that differs from the recorded one.
func (f *figures) compare(t *testing.T, recorded *figures) {
	t.Helper()
	for _, name := range f.names {
		was, now := recorded.costs[name], f.costs[name]
		if !recorded.has(name) {
			t.Errorf("%s: nothing is recorded", name)
			continue
		}
		for _, k := range kinds {
			if r, n := *k.of(&was), *k.of(&now); (f.memory || !k.memory) && k.differs(r, n) {
				t.Errorf("%s: %s: %d, recorded are %d", name, k.name, n, r)
			}
		}
	}
	for _, name := range recorded.names {
		if os.Getenv("DAILIES_ROUTE") == "" && !f.has(name) {
			t.Errorf("%s is recorded, but not sent", name)
		}
	}
}

// path returns the path of a file of figures.
func (f *figures) path(name string) string { return filepath.Join("testdata", "figures", name+".txt") }

// write records the figures. One that has hardly changed stays as it was recorded.
func (f *figures) write(t *testing.T, name string) {
	t.Helper()
	recorded := readFigures(t, name)
	var text strings.Builder
	fmt.Fprintf(&text, "# What the answer to each request costs in a team with so many videos; see “Measuring” in\n# CONTRIBUTING.md. Recorded with %s\n#\n", anew)
	text.WriteString("# statements  statements of the database\n# again       the same for a GET request that is sent once more, if nobody has written since\n")
	text.WriteString("# rows        rows that they returned\n# objects     objects that were allocated\n# bytes       bytes that were allocated\n# wire        bytes of the body, compressed as for a browser\n#\n#")
	for _, k := range kinds {
		fmt.Fprintf(&text, "%*s", columnWidth(k), k.name)
	}
	text.WriteString("  request\n")
	for _, name := range f.names {
		was, now := recorded.costs[name], f.costs[name]
		text.WriteString(" ")
		for _, k := range kinds {
			n := *k.of(&now)
			if r := *k.of(&was); recorded.has(name) && k.near(r, n) {
				n = r
			}
			fmt.Fprintf(&text, "%*d", columnWidth(k), n)
		}
		text.WriteString("  " + name + "\n")
	}
	must(t, os.WriteFile(f.path(name), []byte(text.String()), 0o666))
}

func columnWidth(k kind) int { return max(len(k.name), len("999999999")) + 2 }

// readFigures reads recorded figures.
func readFigures(t *testing.T, name string) *figures {
	t.Helper()
	f := &figures{memory: true}
	text, err := os.ReadFile(f.path(name))
	must(t, err)
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var c cost
		rest := line
		for _, k := range kinds {
			var number string
			number, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
			_, err := fmt.Sscan(number, k.of(&c))
			must(t, err)
		}
		f.add(strings.TrimSpace(rest), c)
	}
	return f
}

// growth returns lines that say how much the costs of the requests that are in both have
// grown: all together, and on average of their ratios (the geometric mean).
func (f *figures) growth(from *figures) string {
	var text strings.Builder
	both, fresh := []string{}, 0
	for _, name := range f.names {
		if from.has(name) {
			both = append(both, name)
		} else {
			fresh++
		}
	}
	fmt.Fprintf(&text, "since %s, in %d requests (%d are new):", firstMeasured, len(both), fresh)
	for _, k := range kinds {
		if k.memory && !f.memory {
			continue
		}
		was, is, more, less, most, where, ratios, compared := 0, 0, 0, 0, 0, "", 0.0, 0
		for _, name := range both {
			a, b := from.costs[name], f.costs[name]
			d := *k.of(&b) - *k.of(&a)
			was, is = was+*k.of(&a), is+*k.of(&b)
			more, less = more+max(d, 0), less+max(-d, 0)
			if *k.of(&a) > 0 && *k.of(&b) > 0 {
				ratios, compared = ratios+math.Log(float64(*k.of(&b))/float64(*k.of(&a))), compared+1
			}
			if d > most {
				most, where = d, name
			}
		}
		fmt.Fprintf(&text, "\n%12s: %d, were %d (%+.1f %%; of each request, on average, %+.1f %%): +%d −%d",
			k.name, is, was, 100*float64(is-was)/float64(max(was, 1)), 100*(math.Exp(ratios/float64(max(compared, 1)))-1), more, less)
		if where != "" {
			fmt.Fprintf(&text, "; most, +%d, in %s", most, cut(where, 70))
		}
	}
	return text.String()
}

// plansFile has how SQLite executes each statement.
const plansFile = "testdata/figures/plans.txt"

// plansOf returns how SQLite executes each of the statements, by its text, which is cut and
// has a checksum at its end if it is long.
func plansOf(t *testing.T, seen *recordtest.Recorder) map[string]string {
	t.Helper()
	explaining, err := recordtest.NewSQLite(t.Context())
	must(t, err)
	t.Cleanup(func() { must(t, explaining.Close()) })
	plans := map[string]string{}
	for text, example := range seen.Statements() {
		steps, err := explaining.Plan(t.Context(), example)
		must(t, err)
		if len(text) > 130 {
			sum := sha256.Sum256([]byte(text))
			text = cut(text, 120) + " " + hex.EncodeToString(sum[:4])
		}
		plans[text] = "\t" + strings.Join(steps, "\n\t")
	}
	return plans
}

// writePlans records how SQLite executes the statements.
func writePlans(t *testing.T, seen *recordtest.Recorder) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "# How SQLite executes the statements of the requests. Recorded with %s\n", anew)
	plans := plansOf(t, seen)
	for _, statement := range slices.Sorted(maps.Keys(plans)) {
		fmt.Fprintf(&text, "%s\n%s\n", statement, plans[statement])
	}
	must(t, os.WriteFile(plansFile, []byte(text.String()), 0o666))
}

// comparePlans fails the test for each statement that SQLite executes in another way than
// the recorded one, and, if all requests were sent, for those that are not run any more.
func comparePlans(t *testing.T, seen *recordtest.Recorder, all bool) {
	t.Helper()
	text, err := os.ReadFile(plansFile)
	must(t, err)
	recorded, statement := map[string]string{}, ""
	for line := range strings.SplitSeq(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "#") || line == "":
		case strings.HasPrefix(line, "\t"):
			recorded[statement] = strings.TrimPrefix(recorded[statement]+"\n"+line, "\n")
		default:
			statement = line
		}
	}
	plans := plansOf(t, seen)
	for statement, plan := range plans {
		switch was, known := recorded[statement]; {
		case !known:
			t.Errorf("no plan is recorded for %s\n%s", statement, plan)
		case was != plan:
			t.Errorf("%s is executed in another way:\n%s\nwas\n%s", statement, plan, was)
		}
	}
	for statement := range recorded {
		if _, run := plans[statement]; all && !run {
			t.Errorf("a plan is recorded for a statement that is not run: %s", statement)
		}
	}
}
