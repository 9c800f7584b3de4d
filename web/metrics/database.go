package metrics

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"sync"
	"time"

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
func (m *Metrics) Watch(d Database) { m.database = &database{Database: d} }

// A database collects the metrics of a Database.
type database struct {
	Database
	mu    sync.Mutex
	at    time.Time // of the last count
	work  schedule.Work
	fails bool // whether the last count failed
}

var (
	connections = family{gauge, "dailies_database_connections",
		"Connections to the database of this process, by engine, pool and state.", []string{"engine", "pool", "state"}}
	mostOpen = family{gauge, "dailies_database_connections_max",
		"Most connections to the database of this process, by engine and pool.", []string{"engine", "pool"}}
	waits = family{counter, "dailies_database_waits_total",
		"Times that a connection to the database was waited for, by engine and pool.", []string{"engine", "pool"}}
	waited = family{counter, "dailies_database_wait_seconds_total",
		"Time that connections to the database were waited for, by engine and pool.", []string{"engine", "pool"}}
	answers = family{gauge, "dailies_database_up",
		"1 if the database answered when the work was counted last, else 0; then what is counted is left out.", []string{"engine"}}
	queued = family{gauge, "dailies_tasks_queued", "Videos that wait to be sent to the service, of all processes.", nil}
	leases = family{gauge, "dailies_leases",
		"Leases of all processes, by kind (task, notice, mail, job) and state: held, or overdue because nobody has taken over what ran out.",
		[]string{"kind", "state"}}
	oldestDue = family{gauge, "dailies_oldest_due_poll_seconds",
		"How long the video that is due to be asked about first has waited for that.", nil}
	mails      = family{gauge, "dailies_mails_waiting", "Mails that wait to be sent, or to be tried again, of all processes.", nil}
	dueMail    = family{gauge, "dailies_oldest_due_mail_seconds", "How long the mail that is due first has waited for that.", nil}
	lastBackup = family{gauge, "dailies_last_backup_timestamp_seconds",
		"When the last backup was made, in Unix seconds; missing if none was.", nil}
	processes   = family{gauge, "dailies_processes", "Processes that work on the database.", nil}
	unconfirmed = family{gauge, "dailies_videos_unconfirmed",
		"Videos that may or may not have been paid, because the answer of the service was lost, and wait for a decision; of all processes.", nil}
	failed = family{counter, "dailies_videos_failed_total",
		"Videos that failed, or that the service canceled or refused, ever; of all processes.", nil}
	paid = family{counter, "dailies_credits_paid_total",
		"Credits paid for videos, ever, also where some were returned; of all processes.", nil}
	kept = family{gauge, "dailies_kept_bytes", "Size of all stored videos and pictures, of all processes.", nil}
	free = family{gauge, "dailies_free_bytes", "Free bytes on the disk of this process's data folder.", nil}
)

// collect adds the metrics.
func (d *database) collect(s *scrape) {
	reads, writes := d.Pools()
	for i, stats := range []sql.DBStats{reads, writes} {
		pool := []string{"reads", "writes"}[i]
		s.add(connections, float64(stats.Idle), d.Engine, pool, "idle")
		s.add(connections, float64(stats.InUse), d.Engine, pool, "in_use")
		s.add(mostOpen, float64(stats.MaxOpenConnections), d.Engine, pool)
		s.add(waits, float64(stats.WaitCount), d.Engine, pool)
		s.add(waited, stats.WaitDuration.Seconds(), d.Engine, pool)
	}
	if bytes, err := d.Free(); err == nil && bytes >= 0 {
		s.add(free, float64(bytes))
	}
	work, ok := d.count()
	if !ok {
		s.add(answers, 0, d.Engine)
		return
	}
	s.add(answers, 1, d.Engine)
	s.add(queued, float64(work.Queued))
	s.add(oldestDue, work.OldestDue.Seconds())
	s.add(mails, float64(work.Mails))
	s.add(dueMail, work.DueMail.Seconds())
	if !work.Backup.IsZero() {
		s.add(lastBackup, float64(work.Backup.Unix()))
	}
	s.add(processes, float64(work.Processes))
	s.add(unconfirmed, float64(work.Unconfirmed))
	s.add(kept, float64(work.KeptBytes))
	s.add(failed, float64(work.Failed))
	s.add(paid, work.Paid)
	for _, kind := range slices.Sorted(maps.Keys(work.Leases)) {
		l := work.Leases[kind]
		s.add(leases, float64(l.Held), kind, "held")
		s.add(leases, float64(l.Overdue), kind, "overdue")
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
