package kit

import (
	"dailies/db/outbox"
	"dailies/db/store/engine"
)

// PutDeliveries queues the delivery to those webhooks of the people, and to the team's if
// team is set, that want to be told of its event, in the transaction of the change that it
// tells of.
func PutDeliveries(tx *engine.Tx, d outbox.Delivery, people []int64, team bool) {
	tx.About("deliveries").Exec(`
		INSERT INTO deliveries (webhook_id, type, task_id, note_id, guest_id, ask_id, created_at, next_at)
		SELECT h.id, k.value, nullif(CAST($2 AS BIGINT), 0), nullif(CAST($3 AS BIGINT), 0), nullif(CAST($4 AS BIGINT), 0), nullif(CAST($5 AS BIGINT), 0),
			CAST($6 AS BIGINT), CASE WHEN h.state <> 'paused' THEN CAST($6 AS BIGINT) END
		FROM webhooks h, json_each(h.types) k
		WHERE k.value = $1 AND h.state <> 'off'
			AND (h.user_id IN (SELECT CAST(value AS BIGINT) FROM json_each($7)) OR h.user_id IS NULL AND CAST($8 AS BIGINT) = 1)
		ORDER BY h.id`,
		d.Event, d.TaskID, d.NoteID, d.GuestID, d.AskID, engine.Instant(d.CreatedAt), engine.Listed(people), team)
}
