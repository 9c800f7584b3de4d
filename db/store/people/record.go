package people

import (
	"encoding/json"

	"dailies/db/audit"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// A record is a setting with several fields, which are stored as JSON. Its name is that in
// the audit, too.
type record[T comparable] struct {
	name    string
	inWords func(T) string // for the audit
}

// in returns the setting, or the zero value if it was never set.
func (r record[T]) in(tx *engine.Tx) (value T) {
	if text := kit.Setting(tx, r.name); tx.OK() && text != "" {
		tx.Check(json.Unmarshal([]byte(text), &value))
	}
	return value
}

// put changes the setting, and records that for the audit. It reports false if the setting
// has this value already.
func (r record[T]) put(tx *engine.Tx, value T) (changed bool) {
	before := r.in(tx)
	if !tx.OK() || value == before {
		return false
	}
	text, err := json.Marshal(value)
	tx.Check(err)
	kit.PutSetting(tx, r.name, string(text))
	kit.Record(tx, audit.Entry{Action: audit.SettingChanged, What: r.name, Before: r.inWords(before), After: r.inWords(value)})
	return true
}
