package suite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"dailies/db/store/recordtest"
)

// The tests record every statement that the store runs. When they have ended, each
// statement is explained, and the run fails if one reads a table whole that has a row
// for each video: tasks, media or usage. Whoever has a good reason to read one gives it
// in reasons.

// recorded has the statements of the engine that is being tested.
var recorded = &recordtest.Recorder{}

// A reason says why the statements with a part of their short form may read a whole
// table.
type reason struct{ part, why string }

// reasons say why a statement may read a whole table. Each has a part of the statement's
// short form by which it is known. The tests of the package under whose name a reason
// stands have such a statement; those of the others may have it.
var reasons = map[string][]reason{
	"people": {
		{"FROM tasks ORDER BY id DESC LIMIT 1) newest", "it reads one row: the newest task"},
	},
	"video": {
		{"tasks, paid, refunded FROM usage", "dailies check compares all totals"},
		{"SELECT has, want FROM (", "dailies check compares all totals"},
		{"CAST(sum(counted) AS BIGINT) FROM tasks GROUP BY payer, day", "dailies check compares all totals"},
		{"WITH told AS (", "dailies check compares all totals"},
		{"SELECT id, created_at, day FROM tasks WHERE id >", "a new time zone gives every task another day, some tasks at a time"},
		{"LEFT JOIN team_keys k ON k.id = t.key_id LEFT JOIN services s ON s.id = t.service_id ORDER BY t.id",
			"an export has all tasks of its period, a page at a time"},
	},
	"store": {
		{"SELECT id, prompt FROM tasks WHERE id >", "a migration fills in a column, some tasks at a time"},
		{", film_due FROM media ORDER BY id", "a move copies all rows"},
		{"SELECT id, thumb_due FROM media WHERE kind = 'cover'", "a move copies all rows"},
		{", purged_at FROM tasks ORDER BY id", "a move copies all rows"},
	},
}

// reasonsOnPostgres are further ones on Postgres, where the plan depends on the arguments
// with which the tests ran a statement first. Not each of them is needed in every run.
var reasonsOnPostgres = []reason{
	{"FROM usage WHERE day >= $", "the tests ask for all days"},
	{"FROM tasks g WHERE g.deleted_at IS NULL AND", "the tests search for words that nearly all tasks have"},
	{"FROM tasks g JOIN task_tags l ON l.task_id = g.id WHERE g.deleted_at IS NULL AND", "the same"},
	{"FROM tasks g WHERE g.id > $", "how frequent words are is estimated from the newest 1,000 tasks, which the tests do not have"},
	{"SELECT t.id AS id FROM tasks t WHERE t.created_at",
		"the tests ask for a span of time in which all tasks are; at most 12,000 are counted"},
	{"FROM tasks t JOIN gallery g ON g.id = t.id WHERE t.created_at", "the tests ask for a span of time in which all tasks are"},
	{"count(t.recipe_id), max(t.created_at) AS used_at",
		"the page of recipes says how often each was used; only tasks made with one are read"},
	{"JOIN tasks t ON t.stack = asked.stack", "few videos of the tests have takes"},
	{"JOIN tasks b ON b.stack = o.stack", "the same"},
	{"JOIN tasks o ON o.stack = b.stack", "the same"},
	{"FROM tasks f WHERE f.lexemes @@ CAST($ AS tsquery) AND f.id = g.id", "the tests count tasks with words that nearly all have"},
}

func allReasons() []reason { return slices.Concat(slices.Collect(maps.Values(reasons))...) }

// fewRows are the partial indexes with the rows of a passing state, of which there are
// few: reading one of them whole is no matter.
var fewRows = []string{
	"tasks_queued", "tasks_queued_next", "tasks_queued_of_service", "tasks_sending", "tasks_ask", "tasks_ask_by_person", "tasks_keep",
	"tasks_leased", "tasks_under_way", "tasks_unbegun", "tasks_unconfirmed",
	"tasks_binned", "tasks_binned_of_maker", "tasks_binned_of_team", "media_thumb_due", "media_unread_films",
}

// explainAll explains the recorded statements with the function of the engine. It
// prints those that read a table whole without a reason. It returns the exit status.
func explainAll(allowed []reason, whole func(recordtest.Example) (string, error)) (code int) {
	statements := recorded.Statements()
	for _, short := range slices.Sorted(maps.Keys(statements)) {
		step, err := whole(statements[short])
		if err != nil {
			code = failExplained("%v: %s", err, short)
			continue
		}
		if step == "" {
			continue
		}
		why := ""
		for _, reason := range allowed {
			if strings.Contains(short, reason.part) {
				why, needed[reason.part] = reason.why, true
			}
		}
		if why == "" {
			code = failExplained("%s: this reads a whole table, and reasons has no reason for it: %s", step, short)
		}
	}
	fmt.Printf("%d statements explained\n", len(statements))
	recorded.Forget()
	return code
}

// needed has the parts of the reasons that were used.
var needed = map[string]bool{}

// unneeded prints the reasons that no statement needs although all tests of the package have
// run. It returns the exit status.
func unneeded(tested string) (code int) {
	for _, reason := range reasons[tested] {
		if !needed[reason.part] {
			code = failExplained("no statement needs the reason for %q any more", reason.part)
		}
	}
	return code
}

// failExplained prints a failure, and returns the exit status.
func failExplained(format string, args ...any) int {
	fmt.Printf("--- FAIL: explained statements: "+format+"\n", args...)
	return 1
}

// aliases returns the names that the statement gives to the tables whose rows are many.
func aliases(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`\b(tasks|media|usage)\b(?:\s+(?:AS\s+)?([a-z]+)\b)?`).FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
		if m[2] != "" {
			names[m[2]] = true
		}
	}
	return names
}

var (
	sqliteStep = regexp.MustCompile(`^(SCAN|SEARCH) (\w+)` +
		`(?: USING (?:COVERING )?(?:INDEX (\w+)|INTEGER PRIMARY KEY|PRIMARY KEY))?(?: (\(.*\)))?`)
	openEnded = regexp.MustCompile(`^\(rowid[<>]\?\)$`) // a part of the table that may be nearly all of it
)

// explainOnSQLite explains statements on a database without rows.
func explainOnSQLite() int {
	ctx := context.Background()
	explaining, err := recordtest.NewSQLite(ctx)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer explaining.Close()
	return explainAll(allReasons(), func(e recordtest.Example) (string, error) {
		steps, err := explaining.Plan(ctx, e)
		many := aliases(e.Text)
		for _, step := range steps {
			m := sqliteStep.FindStringSubmatch(strings.TrimSpace(step))
			if m != nil && many[m[2]] && !slices.Contains(fewRows, m[3]) && (m[1] == "SCAN" || openEnded.MatchString(m[4])) {
				return m[0], err
			}
		}
		return "", err
	})
}

// manyRows fills a Postgres database with so many rows that the server uses the indexes
// that it would use with a million. Triggers do not run, because they take long.
const manyRows = `
	SET session_replication_role = replica;
	INSERT INTO users (id, name, email, email_key, password, role, last_scene, created_at)
	SELECT i, 'Person ' || i, i || '@example.com', i || '@example.com', '', 'member', '', 0 FROM generate_series(1, 200) i;
	INSERT INTO tasks (id, user_id, form_token, scene, model, state, keeping, provider, created_at, sent_at, done_at, next_at,
		options, pictures, prompt, words, charged, day, starred, private, deleted_at, parent_id, bond, batch, recipe_id)
	SELECT i, 1 + i % 200, 'form ' || i, 'text-to-video', 'model ' || i % 8,
		CASE WHEN i % 1000 = 0 THEN 'processing' WHEN i % 10 = 0 THEN 'failed' ELSE 'success' END,
		CASE WHEN i % 10 = 0 THEN '' ELSE 'kept' END, '', 1767225600000 + i * 60000, 1767225600000 + i * 60000, 1767225660000 + i * 60000,
		CASE WHEN i % 1000 = 0 THEN 1767225600000 + i * 60000 END, '{"duration":5,"resolution":"720p"}',
		CASE WHEN i % 4 = 0 THEN '["https://example.com/p/1"]' ELSE '[]' END, 'a kite ' || i,
		'''a'':1 ''kite'':2 ''word' || i % 5000 || ''':3', 30000, 20454 + i / 100,
		CASE WHEN i % 50 = 0 THEN 1 ELSE 0 END, CASE WHEN i % 30 = 0 THEN 1 ELSE 0 END,
		CASE WHEN i % 100 = 1 THEN 1767225600000 END,
		CASE WHEN i % 5 = 0 THEN i - 1 END, CASE WHEN i % 5 = 0 THEN 'next' ELSE '' END, CASE WHEN i % 4 = 0 THEN 'batch ' || i / 8 ELSE '' END,
		CASE WHEN i % 7 = 0 THEN 1 + i % 20 END
	FROM generate_series(CAST(1 AS BIGINT), 60000) i;
	INSERT INTO recipes (id, name, note, scene, model, prompt, provider, pictures, options, created_by, created_at, changed_at)
	SELECT i, 'r ' || i, '', 'text-to-video', 'model 1', '', '', '[]', '{}', 1, 0, 0 FROM generate_series(1, 20) i;
	INSERT INTO gallery (id, user_id, team, starred, created_at, state, scene, aspect_ratio, model)
	SELECT id, user_id, team, starred, created_at, state, scene, aspect_ratio, model FROM tasks WHERE deleted_at IS NULL;
	INSERT INTO media (task_id, kind, position, hash, type, size, source, created_at)
	SELECT id, 'video', 0, 'hash ' || id, 'video/webm', 1000, '', 0 FROM tasks WHERE state = 'success';
	INSERT INTO usage (user_id, day, model, outcome, key_id, service_id, tasks, paid, refunded)
	SELECT payer, day, model, outcome, key_id, service_id, count(*), sum(paid), sum(refunded) FROM tasks GROUP BY 1, 2, 3, 4, 5, 6;
	INSERT INTO tags (id, name, name_key, created_by, created_at) SELECT i, 'tag ' || i, 'tag ' || i, 1, 0 FROM generate_series(1, 50) i;
	INSERT INTO task_tags (task_id, tag_id) SELECT id, 1 + id % 50 FROM tasks WHERE id % 3 = 0;
	INSERT INTO collections (id, name, note, created_by, created_at, changed_at)
	SELECT i, 'c ' || i, '', 1, 0, 0 FROM generate_series(1, 50) i;
	INSERT INTO collection_tasks (collection_id, task_id, position, added_by, added_at)
	SELECT 1 + id % 50, id, id, 1, 0 FROM tasks WHERE id % 10 = 0;
	SET session_replication_role = origin;
	ANALYZE`

// A plan is a step of a plan as Postgres describes it, with the steps below it.
type plan struct {
	Node     string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Index    string `json:"Index Name"`
	Cond     string `json:"Index Cond"`
	Plans    []plan
}

// whole returns the first step that reads a whole table, empty if there is none. A
// condition on the ID alone is good enough, because the server compares it with the
// actual numbers.
func (p plan) whole() string {
	all := p.Node == "Seq Scan" || strings.HasPrefix(p.Node, "Index") && !slices.Contains(fewRows, p.Index) && p.Cond == ""
	if all && slices.Contains([]string{"tasks", "media", "usage"}, p.Relation) {
		return fmt.Sprintf("%s of %s with %q %s", p.Node, p.Relation, p.Index, p.Cond)
	}
	for _, below := range p.Plans {
		if step := below.whole(); step != "" {
			return step
		}
	}
	return ""
}

// explainOnPostgres explains statements on a database with many rows, with the
// arguments of the tests.
func explainOnPostgres() int {
	ctx := context.Background()
	address, err := server.Database(ctx)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	raw, err := sql.Open("pgx", address)
	if err == nil {
		defer raw.Close()
		raw.SetMaxOpenConns(1)
		_, err = raw.Exec(manyRows)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return explainAll(slices.Concat(allReasons(), reasonsOnPostgres), func(e recordtest.Example) (string, error) {
		var text []byte
		if err := raw.QueryRow(`EXPLAIN (FORMAT JSON) `+e.Text, e.Args...).Scan(&text); err != nil {
			return "", err
		}
		var plans []struct{ Plan plan }
		if err := json.Unmarshal(text, &plans); err != nil || len(plans) != 1 {
			return "", fmt.Errorf("%.200s: %w", text, err)
		}
		return plans[0].Plan.whole(), nil
	})
}
