package people

import (
	"context"
	"encoding/json"
	"fmt"

	"dailies/db/audit"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/team"
)

// labelSetting is the setting that says how the team tells that its videos are made by AI.
const labelSetting = "labels"

// Labels returns how the team tells that its videos are made by AI.
func (s *Settings) Labels(ctx context.Context) (team.Labels, error) {
	look := s.db.Reading(ctx)
	l := labels(look)
	return l, engine.About(labelSetting, look.Err())
}

func labels(tx *engine.Tx) (l team.Labels) {
	if text := kit.Setting(tx, labelSetting); tx.OK() && text != "" {
		tx.Check(json.Unmarshal([]byte(text), &l))
	}
	return l
}

// SetLabels changes how the team tells that its videos are made by AI.
func (s *Settings) SetLabels(ctx context.Context, l team.Labels) error {
	return engine.About(labelSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		before := labels(tx)
		if !tx.OK() || l == before {
			return
		}
		text, err := json.Marshal(l)
		tx.Check(err)
		kit.PutSetting(tx, labelSetting, string(text))
		kit.Record(tx, audit.Entry{Action: audit.SettingChanged, What: labelSetting, Before: labelled(before), After: labelled(l)})
	}))
}

// labelled returns the setting in words, for the audit.
func labelled(l team.Labels) string {
	guests := "guests are told"
	if l.Quiet {
		guests = "guests are not told"
	}
	if l.Producer == "" {
		return guests
	}
	return fmt.Sprintf("%s, files name %s", guests, l.Producer)
}
