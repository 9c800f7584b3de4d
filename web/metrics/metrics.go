// Package metrics exports the metrics of a running Dailies to Prometheus.
package metrics

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	series "github.com/VictoriaMetrics/metrics"
	"github.com/klauspost/compress/gzhttp"

	"dailies/db/signin"
)

// Metrics counts requests, calls to the video service and refused sign-ins.
type Metrics struct {
	requests, calls, refused *series.Set
	database                 *database // nil if it is not watched
}

// New returns Metrics with all counters at zero.
func New() *Metrics {
	m := &Metrics{requests: series.NewSet(), calls: series.NewSet(), refused: series.NewSet()}
	for _, reason := range signin.RefusalKinds() {
		m.refused.NewCounter(refusals.series(reason)) // so that the first refusal is an increase from 0
	}
	return m
}

var (
	requests = family{histogram, "dailies_request_seconds", "Time to answer a request, by route and status.", []string{"route", "status"}}
	calls    = family{counter, "dailies_service_calls_total", "Calls to the video service, by call and outcome.",
		[]string{"call", "outcome"}}
	refusals = family{counter, "dailies_sign_ins_refused_total", "Sign-ins that this process has refused, by reason.", []string{"reason"}}
)

// requestBuckets returns the upper bounds, in seconds, by which requests are counted.
func requestBuckets() []float64 {
	return []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}
}

// Observe records a response. route is the route's pattern, not the path, so that the
// number of series is limited.
func (m *Metrics) Observe(route string, status int, took time.Duration) {
	m.requests.GetOrCreatePrometheusHistogramExt(requests.series(route, strconv.Itoa(status)), requestBuckets()).Update(took.Seconds())
}

// Called counts a call to the video service.
func (m *Metrics) Called(call, outcome string) {
	m.calls.GetOrCreateCounter(calls.series(call, outcome)).Inc()
}

// Refused counts a refused sign-in.
func (m *Metrics) Refused(why signin.Refusal) {
	m.refused.GetOrCreateCounter(refusals.series(why.Kind())).Inc()
}

// Handler serves GET /metrics.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", gzhttp.GzipHandler(http.HandlerFunc(m.show)))
	return mux
}

func (m *Metrics) show(w http.ResponseWriter, _ *http.Request) {
	var s scrape
	for of, set := range map[*family]*series.Set{&requests: m.requests, &calls: m.calls, &refusals: m.refused} {
		var lines strings.Builder
		set.WritePrometheus(&lines)
		s.write(*of, lines.String())
	}
	if m.database != nil {
		m.database.collect(&s)
	}
	collectRuntime(&s)
	collectProcess(&s)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = s.WriteTo(w) // an error means that Prometheus has gone
}

// The types of metrics.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
	summary   = "summary"
)

// A family holds what all series of a metric have in common.
type family struct {
	kind, name, help string
	labels           []string
}

// labelValue escapes the values of labels.
var labelValue = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// series returns the name of the series whose labels have these values.
func (f family) series(values ...string) string {
	if len(values) == 0 {
		return f.name
	}
	var b strings.Builder
	b.WriteString(f.name)
	for i, value := range values {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(f.labels[i])
		b.WriteString(`="`)
		_, _ = labelValue.WriteString(&b, value)
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}

// A scrape is a response to Prometheus, in its text format. It has a block of lines for
// each family.
type scrape struct{ blocks map[string]*strings.Builder }

// write adds the lines of series of the family.
func (s *scrape) write(of family, lines string) {
	if lines == "" {
		return
	}
	block := s.blocks[of.name]
	if block == nil {
		block = &strings.Builder{}
		fmt.Fprintf(block, "# HELP %s %s\n# TYPE %s %s\n", of.name, of.help, of.name, of.kind)
		if s.blocks == nil {
			s.blocks = map[string]*strings.Builder{}
		}
		s.blocks[of.name] = block
	}
	block.WriteString(lines)
}

// add adds a series of the family.
func (s *scrape) add(of family, value float64, labels ...string) {
	s.write(of, line(of.series(labels...), value))
}

// line returns the line of a series.
func line(series string, value float64) string {
	return series + " " + strconv.FormatFloat(value, 'g', -1, 64) + "\n"
}

// WriteTo writes the families, ordered by name.
func (s *scrape) WriteTo(w io.Writer) (written int64, err error) {
	for _, name := range slices.Sorted(maps.Keys(s.blocks)) {
		n, err := io.WriteString(w, s.blocks[name].String())
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}
