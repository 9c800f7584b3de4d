package people

import (
	"fmt"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// recordSigning records in the audit that the way a person signs in has changed, and
// queues a mail that informs them, whichever notices they want.
func recordSigning(tx *engine.Tx, e audit.Entry) {
	kit.Record(tx, e)
	m, actor := outbox.NewMail(outbox.MailSigning, e.UserID, db.Now()), audit.ActorIn(tx.Context())
	m.Details = outbox.MailDetails{Action: e.Action, From: actor.Address, Alone: e.After == audit.PasswordAlone}
	if actor.UserID != e.UserID {
		m.Details.By = actor.Name
	}
	if actor.UserID != 0 && actor.UserID != e.UserID {
		u := kit.Account(tx, actor.UserID)
		m.Details.By = fmt.Sprintf("%s (%s)", u.Name, u.Email) // so that no name looks like a command
	}
	kit.PutMail(tx, m)
}

// endSessions ends the person's sessions except keepID, or, if began is not empty,
// those of them that began by that method. It is called when a means of signing in is
// removed, because whoever has it may be using those sessions.
func endSessions(tx *engine.Tx, userID, keepID int64, began signin.Method) {
	ended := tx.Exec(`
		DELETE FROM sessions WHERE user_id = $1 AND id <> $2 AND (CAST($3 AS TEXT) = '' OR method = $3)`, userID, keepID, began)
	recordSessionsEnded(tx, userID, ended, began)
}
