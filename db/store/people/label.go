package people

import (
	"context"
	"fmt"

	"dailies/db/store/engine"
	"dailies/db/team"
)

// labelRecord says how the team tells that its videos are made by AI.
var labelRecord = record[team.Labels]{"labels", labelled}

// Labels returns how the team tells that its videos are made by AI.
func (s *Settings) Labels(ctx context.Context) (team.Labels, error) {
	return engine.Read(ctx, s.db, labelRecord.name, labelRecord.in)
}

// SetLabels changes how the team tells that its videos are made by AI.
func (s *Settings) SetLabels(ctx context.Context, l team.Labels) error {
	return engine.About(labelRecord.name, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) { labelRecord.put(tx, l) }))
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
