package metrics

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dailies/db/schedule"
)

const (
	// countTTL is how long a count of the work is cached, so that frequent scrapes do
	// not load the database.
	countTTL = 5 * time.Second

	// countTimeout limits a count, because scrapes wait for it.
	countTimeout = 2 * time.Second
)

// A Database says where the metrics of the database and of the disk come from. The functions are called
// at scrapes.
type Database struct {
	Engine string // "sqlite" or "postgres"
	// Pools returns the state of this process's connection pools.
	Pools func() (reads, writes sql.DBStats)
	// Work counts the pending work of all processes.
	Work func(context.Context) (schedule.Work, error)
	// Free returns the free bytes on the disk of the data folder; negative if not known.
	Free func() (int64, error)
}

// Watch adds the metrics of the database and of the disk.
func (m *Metrics) Watch(d Database) { m.registry.MustRegister(&database{Database: d}) }

// A database is the prometheus.Collector for a Database.
type database struct {
	Database
	mu    sync.Mutex
	at    time.Time // of the last count
	work  schedule.Work
	fails bool // whether the last count failed
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("dailies_"+name, help, labels, nil)
}

var (
	connections = describe("database_connections", "Connections to the database of this process, by engine, pool and state.", "engine", "pool", "state")
	mostOpen    = describe("database_connections_max", "Most connections to the database of this process, by engine and pool.", "engine", "pool")
	waits       = describe("database_waits_total", "Times that a connection to the database was waited for, by engine and pool.", "engine", "pool")
	waited      = describe("database_wait_seconds_total", "Time that connections to the database were waited for, by engine and pool.", "engine", "pool")
	answers     = describe("database_up", "1 if the database answered when the work was counted last, else 0; then what is counted is left out.", "engine")
	queued      = describe("tasks_queued", "Videos that wait to be sent to the service, of all processes.")
	leases      = describe("leases", "Leases of all processes, by kind (task, notice, mail, job) and state: held, or overdue because nobody has taken over what ran out.", "kind", "state")
	oldestDue   = describe("oldest_due_poll_seconds", "How long the video that is due to be asked about first has waited for that.")
	mails       = describe("mails_waiting", "Mails that wait to be sent, or to be tried again, of all processes.")
	dueMail     = describe("oldest_due_mail_seconds", "How long the mail that is due first has waited for that.")
	lastBackup  = describe("last_backup_timestamp_seconds", "When the last backup was made, in Unix seconds; missing if none was.")
	processes   = describe("processes", "Processes that work on the database.")
	unconfirmed = describe("videos_unconfirmed", "Videos that may or may not have been paid, because the answer of the service was lost, and wait for a decision; of all processes.")
	failed      = describe("videos_failed_total", "Videos that failed, or that the service canceled or refused, ever; of all processes.")
	paid        = describe("credits_paid_total", "Credits paid for videos, ever, also where some were returned; of all processes.")
	kept        = describe("kept_bytes", "Size of all stored videos and pictures, of all processes.")
	free        = describe("free_bytes", "Free bytes on the disk of this process's data folder.")
)

// Describe implements prometheus.Collector.
func (d *database) Describe(to chan<- *prometheus.Desc) {
	for _, each := range []*prometheus.Desc{connections, mostOpen, waits, waited, answers, queued, leases, oldestDue, mails, dueMail, lastBackup, processes, unconfirmed, failed, paid, kept, free} {
		to <- each
	}
}

// Collect implements prometheus.Collector.
func (d *database) Collect(to chan<- prometheus.Metric) {
	gauge := func(of *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
	}
	reads, writes := d.Pools()
	for pool, stats := range map[string]sql.DBStats{"reads": reads, "writes": writes} {
		gauge(connections, float64(stats.InUse), d.Engine, pool, "in_use")
		gauge(connections, float64(stats.Idle), d.Engine, pool, "idle")
		gauge(mostOpen, float64(stats.MaxOpenConnections), d.Engine, pool)
		to <- prometheus.MustNewConstMetric(waits, prometheus.CounterValue, float64(stats.WaitCount), d.Engine, pool)
		to <- prometheus.MustNewConstMetric(waited, prometheus.CounterValue, stats.WaitDuration.Seconds(), d.Engine, pool)
	}
	if bytes, err := d.Free(); err == nil && bytes >= 0 {
		gauge(free, float64(bytes))
	}
	work, ok := d.count()
	if !ok {
		gauge(answers, 0, d.Engine)
		return
	}
	gauge(answers, 1, d.Engine)
	gauge(queued, float64(work.Queued))
	gauge(oldestDue, work.OldestDue.Seconds())
	gauge(mails, float64(work.Mails))
	gauge(dueMail, work.DueMail.Seconds())
	if !work.Backup.IsZero() {
		gauge(lastBackup, float64(work.Backup.Unix()))
	}
	gauge(processes, float64(work.Processes))
	gauge(unconfirmed, float64(work.Unconfirmed))
	gauge(kept, float64(work.KeptBytes))
	to <- prometheus.MustNewConstMetric(failed, prometheus.CounterValue, float64(work.Failed))
	to <- prometheus.MustNewConstMetric(paid, prometheus.CounterValue, work.Paid)
	for kind, l := range work.Leases {
		gauge(leases, float64(l.Held), kind, "held")
		gauge(leases, float64(l.Overdue), kind, "overdue")
	}
}

// count returns the cached count of the work, or counts again if that is too old. ok
// reports whether counting succeeded.
func (d *database) count() (work schedule.Work, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.at.IsZero() || time.Since(d.at) > countTTL {
		ctx, stop := context.WithTimeout(context.Background(), countTimeout)
		defer stop()
		var err error
		d.work, err = d.Work(ctx)
		d.at, d.fails = time.Now(), err != nil
	}
	return d.work, !d.fails
}
