package teamdb

import (
	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
)

// Services returns the services for which the condition holds, in the order of their IDs.
func Services(tx *engine.Tx, where string, args ...any) []db.Service {
	return engine.All(tx, schema.Services.Scan(), `SELECT `+schema.Services.Columns+` FROM services WHERE `+where+` ORDER BY id`, args...)
}

var currentService = `SELECT ` + schema.Services.Columns + ` FROM services WHERE current = 1`

// Service returns the service that the team uses.
func Service(tx *engine.Tx) db.Service {
	return engine.One(tx, schema.Services.Scan(), currentService)
}

// PutSetting stores the value of the setting.
func PutSetting(tx *engine.Tx, name, value string) {
	tx.Exec(`
		INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}

// ProviderSetting is the setting with the provider that requests name unless their maker
// has chosen another; empty for none.
const ProviderSetting = "provider"

// ZoneSetting is the setting with the name of the team's time zone.
const ZoneSetting = "time zone"

// BackupSetting is the setting that says when the last backup was made, in Unix milliseconds.
const BackupSetting = "last backup"

// Setting returns the value of the setting, or an empty string if it has none.
func Setting(tx *engine.Tx, name string) (value string) {
	tx.Row(`SELECT value FROM settings WHERE name = $1`, name).Find(&value)
	return value
}
