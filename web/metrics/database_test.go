package metrics_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db/schedule"
	"dailies/db/signin"
	"dailies/web/metrics"
)

// scrape returns the text that Prometheus reads.
func scrape(t *testing.T, m *metrics.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d\n%s", w.Code, w.Body)
	}
	return w.Body.String()
}

func pools() (reads, writes sql.DBStats) {
	return sql.DBStats{MaxOpenConnections: 8, InUse: 3, Idle: 2, WaitCount: 7, WaitDuration: 1500 * time.Millisecond}, sql.DBStats{MaxOpenConnections: 1, InUse: 1}
}

func disk() (int64, error)    { return 1e10, nil }
func unknown() (int64, error) { return -1, nil }

// busy returns metrics in which each has a value.
func busy() *metrics.Metrics {
	m := metrics.New()
	m.Watch(metrics.Database{Engine: "postgres", Pools: pools, Free: disk, Work: func(context.Context) (schedule.Work, error) {
		return schedule.Work{
			Unconfirmed: 6, Failed: 70, Paid: 1234.5, KeptBytes: 5e9,
			Queued: 12, OldestDue: 2500 * time.Millisecond, Processes: 3, Mails: 4, DueMail: time.Minute, Backup: time.Unix(18e8, 0),
			Leases: map[string]schedule.Leases{"task": {Held: 5, Overdue: 1}, "job": {Held: 1}},
		}, nil
	}})
	m.Observe("GET /", 200, time.Millisecond)
	m.Called("create", "ok")
	m.Refused(signin.RefusedPassword)
	m.Refused(signin.RefusedPassword)
	m.Refused(signin.RefusedDomain)
	return m
}

func TestTheDatabaseIsMeasured(t *testing.T) {
	text := scrape(t, busy())
	for _, line := range []string{
		`dailies_database_connections{engine="postgres",pool="reads",state="in_use"} 3`,
		`dailies_database_connections{engine="postgres",pool="reads",state="idle"} 2`,
		`dailies_database_connections{engine="postgres",pool="writes",state="in_use"} 1`,
		`dailies_database_connections_max{engine="postgres",pool="reads"} 8`,
		`dailies_database_waits_total{engine="postgres",pool="reads"} 7`,
		`dailies_database_wait_seconds_total{engine="postgres",pool="reads"} 1.5`,
		`dailies_database_up{engine="postgres"} 1`,
		`dailies_tasks_queued 12`,
		`dailies_oldest_due_poll_seconds 2.5`,
		`dailies_processes 3`,
		`dailies_mails_waiting 4`,
		`dailies_oldest_due_mail_seconds 60`,
		`dailies_last_backup_timestamp_seconds 1.8e+09`,
		`dailies_leases{kind="task",state="held"} 5`,
		`dailies_leases{kind="task",state="overdue"} 1`,
		`dailies_leases{kind="job",state="held"} 1`,
		`dailies_request_seconds_count{route="GET /",status="200"} 1`,
		`dailies_service_calls_total{call="create",outcome="ok"} 1`,
		`dailies_videos_unconfirmed 6`,
		`dailies_videos_failed_total 70`,
		`dailies_credits_paid_total 1234.5`,
		`dailies_kept_bytes 5e+09`,
		`dailies_free_bytes 1e+10`,
		`dailies_sign_ins_refused_total{reason="password"} 2`,
		`dailies_sign_ins_refused_total{reason="provider"} 1`,
		`dailies_sign_ins_refused_total{reason="too_many"} 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("there is no line %s", line)
		}
	}
}

// OPERATING.md lists exactly the metrics whose names begin with dailies_.
func TestTheDocumentListsTheMetrics(t *testing.T) {
	m := metrics.New()
	m.Watch(metrics.Database{Engine: "sqlite", Pools: pools, Free: disk, Work: func(context.Context) (schedule.Work, error) {
		return schedule.Work{Leases: map[string]schedule.Leases{"task": {}}, Backup: time.Unix(18e8, 0)}, nil
	}})
	m.Observe("GET /", 200, time.Millisecond)
	m.Called("create", "ok")
	document, err := os.ReadFile("../../.github/OPERATING.md")
	if err != nil {
		t.Fatal(err)
	}
	offered, listed := map[string]bool{}, map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^# TYPE (dailies_\w+)`).FindAllStringSubmatch(scrape(t, m), -1) {
		offered[found[1]] = true
	}
	for row := range strings.Lines(string(document)) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " |")
		for _, found := range regexp.MustCompile("`(dailies_\\w+)`").FindAllStringSubmatch(cell, -1) {
			if strings.HasPrefix(row, "| `dailies_") {
				listed[found[1]] = true
			}
		}
	}
	if len(offered) == 0 || !maps.Equal(offered, listed) {
		t.Errorf("offered: %v\nlisted: %v", slices.Sorted(maps.Keys(offered)), slices.Sorted(maps.Keys(listed)))
	}
}

func TestManyScrapesAskTheDatabaseOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		m := metrics.New()
		m.Watch(metrics.Database{Engine: "sqlite", Pools: pools, Free: unknown, Work: func(context.Context) (schedule.Work, error) {
			asked++
			return schedule.Work{Queued: asked}, nil
		}})
		for range 10 {
			scrape(t, m)
		}
		if strings.Contains(scrape(t, m), "dailies_free_bytes ") {
			t.Error("it says how much is free on a disk of which that is not known")
		}
		if asked != 1 {
			t.Errorf("it was asked %d times", asked)
		}
		time.Sleep(6 * time.Second)
		if text := scrape(t, m); !strings.Contains(text, "dailies_tasks_queued 2\n") {
			t.Error("what is counted stays for ever")
		}
	})
}

// A database that is silent or returns errors does not delay scrapes, and the metrics of
// the process are still there.
func TestADatabaseThatIsDownIsReported(t *testing.T) {
	for name, work := range map[string]func(context.Context) (schedule.Work, error){
		"silent":  func(ctx context.Context) (schedule.Work, error) { <-ctx.Done(); return schedule.Work{}, ctx.Err() },
		"refuses": func(context.Context) (schedule.Work, error) { return schedule.Work{}, errors.New("no") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := metrics.New()
				m.Watch(metrics.Database{Engine: "postgres", Pools: pools, Free: disk, Work: work})
				began := time.Now()
				text := scrape(t, m)
				if !strings.Contains(text, `dailies_database_up{engine="postgres"} 0`) || !strings.Contains(text, "dailies_database_connections{") {
					t.Error("it is not said to be down")
				}
				if !strings.Contains(text, "dailies_free_bytes 1e+10\n") || strings.Contains(text, "dailies_kept_bytes ") || strings.Contains(text, "dailies_credits_paid_total ") {
					t.Error("the disk depends on the database, or totals are made up")
				}
				if strings.Contains(text, "dailies_tasks_queued ") || strings.Contains(text, "dailies_leases{") {
					t.Error("it says what it does not know")
				}
				if took := time.Since(began); took > 3*time.Second {
					t.Errorf("the scrape took %s", took)
				}
			})
		})
	}
}

// The rules and the dashboard are not used by the program, so nothing else would notice
// that a metric has got another name, or a label another value.
func TestAlertsAndDashboardNameMetricsThatExist(t *testing.T) {
	text := scrape(t, busy())
	name, label := regexp.MustCompile(`\b(?:dailies|process|go)_[a-z_]+`), regexp.MustCompile(`\b([a-z]+)="([a-z_]+)"`)
	for _, file := range []string{"alerts.yml", "dashboard.json"} {
		content, err := os.ReadFile("../../.release/package/" + file)
		if err != nil {
			t.Fatal(err)
		}
		plain := strings.ReplaceAll(string(content), `\"`, `"`)
		found := name.FindAllString(plain, -1)
		if len(found) < 9 {
			t.Errorf("%s: only %d metrics are found", file, len(found))
		}
		for _, metric := range found {
			if !regexp.MustCompile(`(?m)^` + metric + `[{ ]`).MatchString(text) {
				t.Errorf("%s: there is no metric %s", file, metric)
			}
		}
		for _, pair := range label.FindAllStringSubmatch(plain, -1) {
			if pair[1] != "job" && !strings.Contains(text, pair[0]) { // the job is named by Prometheus
				t.Errorf("%s: nothing has the label %s", file, pair[0])
			}
		}
		if strings.HasSuffix(file, ".json") && !json.Valid(content) {
			t.Errorf("%s is no JSON", file)
		}
	}
}
