package video

import (
	"context"
	"time"

	"dailies/db/audit"
	"dailies/db/cast"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// addAppearances stores the cast of a task that is being added.
func addAppearances(tx *engine.Tx, taskID int64, list []cast.Appearance) {
	for place, a := range list {
		tx.Exec(`
			INSERT INTO task_cast (task_id, member_id, place, handle, name, kind, look, pictures, sent)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			ON CONFLICT DO NOTHING`,
			taskID, a.MemberID, place, a.Handle, a.Name, a.Kind, a.Look, engine.AsJSON(&a.Pictures), engine.AsJSON(&a.Sent))
	}
}

func appearanceFields(a *cast.Appearance) []any {
	return []any{&a.TaskID, &a.MemberID, &a.Handle, (*engine.Named)(&a.Name), &a.Kind, &a.Look, engine.AsJSON(&a.Pictures), engine.AsJSON(&a.Sent)}
}

// Of returns the cast of the tasks, as it was when they were submitted: by task, in the order
// in which prompts name it.
func (s *Cast) Of(ctx context.Context, taskIDs ...int64) ([]cast.Appearance, error) {
	return engine.ReadAll(ctx, s.db.Reads, "cast of tasks", engine.ScanFields(appearanceFields), `
		SELECT a.task_id, a.member_id, a.handle, a.name, a.kind, a.look, a.pictures, a.sent
		FROM json_each($1) wanted JOIN task_cast a ON a.task_id = CAST(wanted.value AS BIGINT)
		ORDER BY wanted.key, a.place`, engine.AsJSON(&taskIDs))
}

// mostUses is how many videos with a cast member are counted; one more means "more".
const mostUses = 1000

// Uses returns how many finished videos with each of the cast members the viewer may see, by
// the member's ID. More than 1,000 are counted as one more than that.
func (s *Cast) Uses(ctx context.Context, viewer int64, members []int64) (map[int64]int, error) {
	return engine.Read(ctx, s.db, "videos with the cast", func(tx *engine.Tx) map[int64]int {
		type use struct {
			id int64
			n  int
		}
		uses := map[int64]int{}
		if len(members) == 0 {
			return uses
		}
		for _, u := range engine.All(tx, engine.ScanFields(func(u *use) []any { return []any{&u.id, &u.n} }), `
			SELECT CAST(wanted.value AS BIGINT), (SELECT count(*) FROM (
				SELECT 1 FROM task_cast a JOIN gallery g ON g.id = a.task_id
				WHERE a.member_id = CAST(wanted.value AS BIGINT) AND g.state = 'success' AND `+visible+`
				LIMIT $3 + 0) seen)
			FROM json_each($2) wanted`, viewer, engine.AsJSON(&members), mostUses+1) {
			uses[u.id] = u.n
		}
		return uses
	})
}

// consentSetting is the setting that says whether the consent of a person has to be noted
// before videos are made with them.
const consentSetting = "consent for the cast"

const consentRequired = "required"

// RequiresConsent reports whether the team requires that the consent of a person is noted
// before videos are made with them.
func (s *Cast) RequiresConsent(ctx context.Context) (bool, error) {
	return engine.Read(ctx, s.db, consentSetting, func(tx *engine.Tx) bool { return kit.Setting(tx, consentSetting) == consentRequired })
}

// RequireConsent changes that.
func (s *Cast) RequireConsent(ctx context.Context, required bool, now time.Time) error {
	return engine.About(consentSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		after, before := "", kit.Setting(tx, consentSetting)
		if required {
			after = consentRequired
		}
		if !tx.OK() || before == after {
			return
		}
		kit.PutSetting(tx, consentSetting, after)
		word := map[string]string{"": "not required", consentRequired: consentRequired}
		kit.Record(tx, audit.Entry{At: now, Action: audit.SettingChanged, What: consentSetting, Before: word[before], After: word[after]})
	}))
}
