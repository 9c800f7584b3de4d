package store

import (
	"context"
	"database/sql"
	"fmt"

	"dailies/db"
	"dailies/db/team"
)

// recordSigning records a change of how a person signs in, and lets a mail wait that
// tells them of it, whatever else they want to be told.
func recordSigning(ctx context.Context, tx *sql.Tx, e team.Entry) error {
	if err := record(ctx, tx, e); err != nil {
		return err
	}
	m, actor := team.NewMail(team.MailSigning, e.UserID, db.Now()), team.ActorIn(ctx)
	m.Details = team.MailDetails{Action: e.Action, From: actor.Address, Alone: e.After == team.PasswordAlone}
	if actor.UserID != e.UserID {
		m.Details.By = actor.Name
	}
	return putMail(ctx, tx, m)
}

// endSessions ends the person's sessions but one, or those of them that began in one
// way: whoever has what is taken away may be in them.
func endSessions(ctx context.Context, tx *sql.Tx, userID, keepID int64, began db.Method) error {
	var ended int
	err := counted(&ended)(tx.ExecContext(ctx, `
		DELETE FROM sessions WHERE user_id = $1 AND id <> $2 AND (CAST($3 AS TEXT) = '' OR method = $3)`, userID, keepID, began))
	if err != nil || ended == 0 {
		return err
	}
	what := "all other browsers"
	if began != "" {
		what = "other browsers that signed in by " + string(began)
	}
	return record(ctx, tx, team.Entry{Action: team.SessionEnded, UserID: userID, What: fmt.Sprintf("%s: %d", what, ended)})
}
