package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
)

// A sealedTable is one with a column "sealed".
type sealedTable struct {
	name      string
	one, many string // what people call one value, and several
	key       string // the column that identifies a row
	// query returns, of all rows, the key and the sealed value, then a number and a text
	// that identify the owner, which are passed to of.
	query string
	of    func(number int64, text string) sealer
	// fingerprint is true if the column "fingerprint" has one of the sealed text.
	fingerprint bool
}

// A sealer opens and seals the values of one owner.
type sealer struct {
	open func(v *secrets.Vault, sealed []byte) (string, error)
	seal func(v *secrets.Vault, text string) []byte
}

// sealedTables lists every table with sealed values. A test compares it with the schema.
var sealedTables = []sealedTable{
	{"keys", "API key", "API keys", "id", `SELECT id, sealed, owner, '' FROM keys`, ofKey, true},
	{"team_keys", "key of the team", "keys of the team", "id", `SELECT id, sealed, id, '' FROM team_keys`, ofTeamKey, true},
	{"task_keys", "key of a running video", "keys of running videos", "task_id", `
		SELECT k.task_id, k.sealed, CASE WHEN k.team_key_id = 0 THEN t.payer ELSE k.team_key_id END, CASE WHEN k.team_key_id = 0 THEN '' ELSE 'team' END
		FROM task_keys k JOIN tasks t ON t.id = k.task_id`, ofTaskKey, true},
	{"webhook_secrets", "webhook secret", "webhook secrets", "id", `
		SELECT s.id, s.sealed, coalesce(h.user_id, 0), '' FROM webhook_secrets s JOIN webhooks h ON h.id = s.webhook_id`, ofKey, false},
	{"codes", "person's second step", "people's second steps", "user_id", `SELECT user_id, sealed, user_id, '' FROM codes`, ofCode, false},
	{"shares", "share link, which works but cannot be shown again",
		"share links, which work but cannot be shown again", "id", `SELECT id, sealed, created_by, '' FROM shares`, ofToken, false},
	{"picture_tokens", "address of an uploaded picture", "addresses of uploaded pictures", "id", `
		SELECT k.id, k.sealed, p.user_id, '' FROM picture_tokens k JOIN pictures p ON p.id = k.picture_id`, ofToken, false},
	{"mails", "waiting mail", "waiting mails", "id", `SELECT id, sealed, 0, name FROM mails`, ofMail, false},
	{"provider_sessions", "session of the provider", "sessions of the provider", "session_id", `
		SELECT p.session_id, p.sealed, s.user_id, '' FROM provider_sessions p JOIN sessions s ON s.id = p.session_id`, ofTokens, false},
}

func ofKey(id int64, _ string) sealer { return ofOwner(secrets.KeyOwner{UserID: id}) }

func ofTeamKey(id int64, _ string) sealer { return ofOwner(secrets.KeyOwner{TeamKeyID: id}) }

func ofTaskKey(id int64, whose string) sealer {
	if whose == "team" {
		return ofTeamKey(id, "")
	}
	return ofKey(id, "")
}

func ofOwner(o secrets.KeyOwner) sealer {
	return sealer{
		func(v *secrets.Vault, sealed []byte) (string, error) {
			return v.OpenKey(secrets.Key{UserID: o.UserID, TeamKeyID: o.TeamKeyID, Sealed: sealed})
		},
		func(v *secrets.Vault, text string) []byte { return v.SealFor(o, text) },
	}
}

var (
	ofCode   = ofUser((*secrets.Vault).OpenCode, (*secrets.Vault).SealCode)
	ofToken  = ofUser((*secrets.Vault).OpenToken, (*secrets.Vault).SealToken)
	ofTokens = ofUser((*secrets.Vault).OpenTokens, (*secrets.Vault).SealTokens)
)

// ofUser returns the sealer of values that are sealed for a user with the two methods.
func ofUser(open func(*secrets.Vault, int64, []byte) (string, error),
	seal func(*secrets.Vault, int64, string) []byte) func(int64, string) sealer {
	return func(id int64, _ string) sealer {
		return sealer{
			func(v *secrets.Vault, sealed []byte) (string, error) { return open(v, id, sealed) },
			func(v *secrets.Vault, text string) []byte { return seal(v, id, text) },
		}
	}
}

func ofMail(_ int64, name string) sealer {
	return sealer{
		func(v *secrets.Vault, sealed []byte) (string, error) { return v.OpenMail(name, sealed) },
		func(v *secrets.Vault, text string) []byte { return v.SealMail(name, text) },
	}
}

// A Sealed counts the sealed values of one kind.
type Sealed struct {
	one, many string
	Opened    int // those that open with the vault
	Shut      int // those that do not
}

// Name returns what people call n such values, with the number.
func (n Sealed) Name(number int) string {
	if number == 1 {
		return "1 " + n.one
	}
	return fmt.Sprintf("%d %s", number, n.many)
}

// SealedValues counts the sealed values, of each kind that there is.
func (s *Store) SealedValues(ctx context.Context, vault *secrets.Vault) (found []Sealed, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		for _, t := range sealedTables {
			n := Sealed{one: t.one, many: t.many}
			t.each(tx, func(_ int64, sealed []byte, of sealer) { n.count(of.open(vault, sealed)) })
			if n.Opened+n.Shut > 0 {
				found = append(found, n)
			}
		}
	})
	return found, engine.About("sealed values", err)
}

func (n *Sealed) count(_ string, err error) {
	if err == nil {
		n.Opened++
	} else {
		n.Shut++
	}
}

// each calls see with every sealed value of the table.
func (t sealedTable) each(tx *engine.Tx, see func(key int64, sealed []byte, of sealer)) {
	tx.About(t.name).Each(func(rows *sql.Rows) error {
		var key, number int64
		var sealed []byte
		var text string
		err := rows.Scan(&key, &sealed, &number, &text)
		if err == nil && len(sealed) > 0 {
			see(key, sealed, t.of(number, text))
		}
		return err
	}, t.query)
}

// Reseal opens everything that is sealed with one vault, seals it with another, and
// stores how that one seals, in one transaction: afterwards either everything
// is sealed anew or nothing. Values that do not open are left as they are. The caller
// makes sure that no process serves the database.
func (s *Store) Reseal(ctx context.Context, from, to *secrets.Vault, sealing secrets.Sealing) (done []Sealed, err error) {
	err = s.db.WriteErasing(ctx, func(tx *engine.Tx) {
		for _, t := range sealedTables {
			n := t.reseal(tx, from, to)
			if tx.OK() && n.Opened+n.Shut > 0 {
				done = append(done, n)
			}
		}
		teamdb.PutSetting(tx, secrets.SealingSetting, sealing.String())
		teamdb.Record(tx, audit.Entry{Action: audit.SettingChanged, What: "Secret with which keys are sealed"})
	})
	if err == nil {
		err = s.db.Scrub(ctx)
	}
	if err == nil { // this write, and so the earlier one, survives a power cut
		err = s.db.WriteDurably(ctx, func(tx *engine.Tx) { teamdb.PutSetting(tx, secrets.SealingSetting, sealing.String()) })
	}
	return done, engine.About("sealing", err)
}

// reseal seals the values of one table anew.
func (t sealedTable) reseal(tx *engine.Tx, from, to *secrets.Vault) (n Sealed) {
	type change struct {
		key                 int64
		sealed, fingerprint []byte
	}
	var changes []change // written after reading: Postgres runs one statement at a time
	n.one, n.many = t.one, t.many
	t.each(tx, func(key int64, sealed []byte, of sealer) {
		text, err := of.open(from, sealed)
		if n.count(text, err); err == nil {
			changes = append(changes, change{key, of.seal(to, text), to.Fingerprint(text)})
		}
	})
	statement := `UPDATE ` + t.name + ` SET sealed = $1 WHERE ` + t.key + ` = $2`
	if t.fingerprint {
		statement = `UPDATE ` + t.name + ` SET sealed = $1, fingerprint = $3 WHERE ` + t.key + ` = $2`
	}
	for _, c := range changes {
		args := []any{c.sealed, c.key}
		if t.fingerprint {
			args = append(args, c.fingerprint)
		}
		tx.About(t.name).Exec(statement, args...)
	}
	return n
}

// Unseal returns how the installation seals, and the key that the secret gives. It
// returns secrets.ErrSecret if the data is sealed with another secret, and db.ErrNotFound for
// a new installation. Versions before this one did not say with a database file how
// they sealed: then the secret is theirs if it opens anything, or if nothing is sealed.
// The caller stores the result with BeginSealing, once the secret is kept.
func (s *Store) Unseal(ctx context.Context, secret []byte) (secrets.Sealing, []byte, error) {
	text, err := s.Settings.Setting(ctx, secrets.SealingSetting)
	if errors.Is(err, db.ErrNotFound) {
		text, err = s.unsealUnmarked(ctx, secret)
	}
	if err != nil {
		return secrets.Sealing{}, nil, err
	}
	sealing, err := secrets.ParseSealing(text)
	if err != nil {
		return sealing, nil, err
	}
	key, err := sealing.Key(secret)
	return sealing, key, err
}

// unsealUnmarked returns the text of the sealing with which an earlier version has used
// the secret.
func (s *Store) unsealUnmarked(ctx context.Context, secret []byte) (string, error) {
	sealing, key, err := secrets.PlainSealing(secret)
	if err != nil {
		return "", err
	}
	vault, err := secrets.NewVault(key)
	if err != nil {
		return "", err
	}
	values, err := s.SealedValues(ctx, vault)
	if err != nil {
		return "", err
	}
	opened := 0
	for _, v := range values {
		opened += v.Opened
	}
	if len(values) > 0 && opened == 0 {
		return "", secrets.ErrSecret
	}
	if has, err := s.Accounts.HasUsers(ctx); err != nil || !has && len(values) == 0 {
		return "", errors.Join(err, db.ErrNotFound)
	}
	return sealing.String(), nil
}

// BeginSealing stores how the installation seals, unless that is stored already, and
// returns what is: another process may have begun at the same time.
func (s *Store) BeginSealing(ctx context.Context, sealing secrets.Sealing) (secrets.Sealing, error) {
	text, err := s.Settings.KeepSetting(ctx, secrets.SealingSetting, sealing.String())
	if err != nil {
		return sealing, err
	}
	return secrets.ParseSealing(text)
}

// ForgetSealed stores how values are sealed from now on. Those of before stay where they are, and do not open: whoever has one-time codes
// still needs an admin, and nobody signs in without them.
func (s *Store) ForgetSealed(ctx context.Context, sealing secrets.Sealing) error {
	return engine.About("sealing", s.db.WriteDurably(ctx, func(tx *engine.Tx) {
		teamdb.PutSetting(tx, secrets.SealingSetting, sealing.String())
		teamdb.Record(tx, audit.Entry{Action: audit.SettingChanged, What: "Secret with which keys are sealed",
			After: "another one; what was sealed before does not open any more"})
	}))
}
