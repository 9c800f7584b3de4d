package people

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// SignOn stores how people may sign in, and their accounts at an identity provider.
type SignOn struct {
	db      *kit.DB
	members *Members
}

// Settings of how people sign in: the rules and, if a second step is required, a
// second setting, which the query for every session looks up.
const (
	rulesSetting  = "sign-on"
	secondSetting = "second factor"
)

// Rules returns the rules for signing in.
func (s *SignOn) Rules(ctx context.Context) (signin.Rules, error) {
	return engine.Read(ctx, s.db, rulesSetting, func(tx *engine.Tx) signin.Rules { return signOn(tx) })
}

func signOn(tx *engine.Tx) (r signin.Rules) {
	if text := kit.Setting(tx, rulesSetting); tx.OK() && text != "" {
		tx.Check(json.Unmarshal([]byte(text), &r))
	}
	return r
}

// passwordsOn fails with signin.RefusedOff if the team has turned passwords off.
func passwordsOn(tx *engine.Tx) { tx.Require(!signOn(tx).PasswordsOff, signin.RefusedOff) }

// SetRules stores the rules. It returns db.ErrConflict if they turn passwords off
// while no active admin is connected with an account at the issuer, because then nobody
// could turn them on again. When passwords are turned off, all sessions that began with
// a password or a passkey end, except for those of the person who does it.
func (s *SignOn) SetRules(ctx context.Context, r signin.Rules, issuer string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return engine.About(rulesSetting, err)
	}
	return engine.About(rulesSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		before := signOn(tx)
		turnsOff := tx.OK() && r.PasswordsOff && !before.PasswordsOff
		if turnsOff {
			tx.Require(engine.Value[bool](tx, `
				SELECT EXISTS (SELECT 1 FROM identities i JOIN users u ON u.id = i.user_id
					WHERE i.issuer = $1 AND u.role = 'admin' AND u.deactivated_at IS NULL)`, issuer), db.ErrConflict)
		}
		kit.PutSetting(tx, rulesSetting, string(text))
		if r.SecondStep {
			kit.PutSetting(tx, secondSetting, "required")
		} else {
			tx.Exec(`DELETE FROM settings WHERE name = $1`, secondSetting)
		}
		if turnsOff {
			endPasswordSessions(tx)
		}
		if role, given := r.Role(nil); !given || role != "" { // the provider refuses nobody any more
			tx.Exec(`UPDATE users SET refused_at = NULL WHERE refused_at IS NOT NULL`)
		}
		now := r.Facts()
		for i, was := range before.Facts() {
			if tx.OK() && was != now[i] {
				kit.Record(tx, audit.Entry{Action: audit.SettingChanged, What: was.Name, Before: was.Value, After: now[i].Value})
			}
		}
	}))
}

// endPasswordSessions ends everybody else's sessions that began with a password or a
// passkey.
func endPasswordSessions(tx *engine.Tx) {
	ended := tx.Exec(`
		DELETE FROM sessions WHERE user_id <> $1 AND method IN ('password', 'code', 'passkey')`, audit.ActorIn(tx.Context()).UserID)
	if tx.OK() && ended > 0 {
		kit.Record(tx, audit.Entry{Action: audit.SessionEnded, What: fmt.Sprintf("browsers of everybody who signed in with a password or a passkey: %d", ended)})
	}
}

// Unconnected counts the people whose account is open and is not connected with an
// account at the issuer.
func (s *SignOn) Unconnected(ctx context.Context, issuer string) (int, error) {
	return engine.ReadValue[int](ctx, s.db.Reads, "people without a connected account", `
		SELECT count(*) FROM users u
		WHERE u.deactivated_at IS NULL AND NOT EXISTS (SELECT 1 FROM identities i WHERE i.user_id = u.id AND i.issuer = $1)`, issuer)
}

// SpendChallenge records that the challenge was answered, until it expires. It returns
// db.ErrConflict if it was answered before.
func (s *SignOn) SpendChallenge(ctx context.Context, hash secrets.TokenHash, expires, now time.Time) error {
	return engine.About("challenge", s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		tx.Exec(`DELETE FROM challenges WHERE expires_at <= $1`, engine.Instant(now))
		tx.Exec(`INSERT INTO challenges (hash, expires_at) VALUES ($1, $2)`, engine.Digest(hash), engine.Instant(expires))
	}))
}
