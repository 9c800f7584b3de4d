package kit

import "dailies/db/store/engine"

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
