package teamdb

import (
	"strconv"

	"dailies/db"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
)

// TeamPurse is the user_id of the team's row in purses. The other rows of that table hold
// the spending limit of one person each.
const TeamPurse = 0

// Names of settings: the default limit of a person, in thousandths of a credit, and
// whether videos of unknown price may be made or an admin is asked first.
const (
	LimitSetting    = "limit"
	UnpricedSetting = "unknown price"
)

// LockPurses serialises transactions that spend the same money, or change its limits: it
// updates the row of the person in purses, and then that of the team.
func LockPurses(tx *engine.Tx, userID int64) {
	LockPurse(tx, userID)
	LockPurse(tx, TeamPurse)
}

// LockPurse does what LockPurses does, for one of the rows. A transaction that needs both
// locks that of the person first.
func LockPurse(tx *engine.Tx, userID int64) {
	tx.Exec(`
		INSERT INTO purses (user_id, presses) VALUES ($1, 1)
		ON CONFLICT (user_id) DO UPDATE SET presses = purses.presses + 1`, userID)
}

// Budget returns what the person may still spend in the month. Its NeedsApproval ignores what
// admins have allowed.
func Budget(tx *engine.Tx, userID int64, month spending.Month) spending.Budget {
	r := spending.Budget{UserID: userID, Month: month}
	var own, whole spending.Limit
	var standard, unpriced string
	var allowed engine.Amount
	var role db.Role
	tx.About("purse of "+engine.User(userID)).Row(`
		SELECT u.role, coalesce(p.allowance, 'default'), coalesce(p.credits, 0), p.self, coalesce(t.allowance, 'none'), coalesce(t.credits, 0),
			coalesce((SELECT value FROM settings WHERE name = $3), ''), coalesce((SELECT value FROM settings WHERE name = $4), ''),
			(SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) FROM spent WHERE month = $2 AND user_id = $1 AND `+schema.Counted+`),
			(SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) FROM spent WHERE month = $2 AND `+schema.Counted+`),
			(SELECT CAST(coalesce(sum(credits), 0) AS BIGINT) FROM asks WHERE user_id = $1 AND month = $2 AND answer = 'month' AND unpriced = 0 AND ended_at IS NULL AND `+schema.Counted+`),
			(SELECT max(credits) FROM asks WHERE user_id = $1 AND month = $2 AND answer = 'once' AND unpriced = 0 AND used_at IS NULL AND ended_at IS NULL AND `+schema.Counted+`)
		FROM users u LEFT JOIN purses p ON p.user_id = u.id LEFT JOIN purses t ON t.user_id = 0
		WHERE u.id = $1`, userID, month, LimitSetting, UnpricedSetting,
	).Scan(&role, &own.Allowance, (*engine.Amount)(&own.Credits), (*engine.Credits)(&r.Self), &whole.Allowance,
		(*engine.Amount)(&whole.Credits),
		&standard, &unpriced, (*engine.Amount)(&r.Spent), (*engine.Amount)(&r.TeamHas), &allowed, (*engine.Credits)(&r.Once))
	if r.Limit = own.In(LimitOf(standard)); tx.OK() && r.Limit.Known {
		r.Limit.Amount += float64(allowed)
	}
	r.Team = whole.In(db.Credits{})
	r.NeedsApproval = unpriced == "ask" && role != db.Admin
	return r
}

// LimitOf parses the setting of the default limit.
func LimitOf(setting string) db.Credits {
	thousandths, err := strconv.ParseInt(setting, 10, 64)
	if err != nil {
		return db.Credits{}
	}
	return db.CreditsOf(float64(thousandths) / 1000)
}
