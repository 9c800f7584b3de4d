// Package metrics exports the metrics of a running Dailies to Prometheus.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"dailies/db/signin"
)

// Metrics counts requests, calls to the video service and refused sign-ins.
type Metrics struct {
	// Calls counts calls to the video service by "call" and "outcome".
	Calls *prometheus.CounterVec

	refused  *prometheus.CounterVec
	requests *prometheus.HistogramVec
	registry *prometheus.Registry
}

// New returns Metrics with all counters at zero.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dailies_request_seconds", Help: "Time to answer a request, by route and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
		}, []string{"route", "status"}),
		Calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dailies_service_calls_total", Help: "Calls to the video service, by call and outcome.",
		}, []string{"call", "outcome"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dailies_sign_ins_refused_total", Help: "Sign-ins that this process has refused, by reason.",
		}, []string{"reason"}),
	}
	for _, reason := range signin.RefusalKinds() {
		m.refused.WithLabelValues(reason) // so that the first refusal is an increase from 0
	}
	m.registry.MustRegister(m.requests, m.Calls, m.refused, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Observe records a response. route is the route's pattern, not the path, so that the
// number of series is limited.
func (m *Metrics) Observe(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(took.Seconds())
}

// Refused counts a refused sign-in.
func (m *Metrics) Refused(why signin.Refusal) { m.refused.WithLabelValues(why.Kind()).Inc() }

// Handler serves GET /metrics.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}
