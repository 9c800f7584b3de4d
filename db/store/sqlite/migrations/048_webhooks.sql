-- A person has several webhooks, and so has the team. Each is told only of what it chooses,
-- in the format of Standard Webhooks. Earlier ones keep their own format.
DROP TRIGGER delivery_add;
DROP TRIGGER delivery_ready;
ALTER TABLE webhooks RENAME TO earlier_webhooks;
ALTER TABLE deliveries RENAME TO earlier_deliveries;

CREATE TABLE webhooks (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id       INTEGER REFERENCES users (id), -- NULL is the team
  address       TEXT NOT NULL,
  origin        TEXT NOT NULL, -- how the person reached the app when they set it up
  types         TEXT NOT NULL, -- JSON, a list
  standard      INTEGER NOT NULL, -- 0 is the earlier format
  state         TEXT NOT NULL DEFAULT 'on' CHECK (state IN ('on', 'off', 'paused')),
  created_at    INTEGER NOT NULL,
  failures      INTEGER NOT NULL DEFAULT 0, -- since something has arrived
  failing_since INTEGER,
  quiet_until   INTEGER -- as its program has asked
) STRICT;

-- The secrets that deliveries are signed with.
CREATE TABLE webhook_secrets (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  sealed     BLOB NOT NULL,
  until      INTEGER -- of one that was replaced; NULL is the present one
) STRICT;

-- One delivery to a webhook. It waits while it has no outcome, and for its webhook to be
-- turned on again while it has no next_at either.
CREATE TABLE deliveries (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))),
  webhook_id   INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  type         TEXT NOT NULL,
  task_id      INTEGER REFERENCES tasks (id) ON DELETE CASCADE,
  note_id      INTEGER REFERENCES notes (id) ON DELETE CASCADE,
  guest_id     INTEGER REFERENCES guests (id) ON DELETE CASCADE, -- whose answer it is
  ask_id       INTEGER REFERENCES asks (id) ON DELETE CASCADE,
  state        TEXT NOT NULL DEFAULT '', -- that the task reached
  outcome      TEXT NOT NULL DEFAULT '',
  http         INTEGER NOT NULL DEFAULT 0,
  problem      TEXT NOT NULL DEFAULT '',
  tries        INTEGER NOT NULL DEFAULT 0,
  created_at   INTEGER NOT NULL,
  tried_at     INTEGER,
  next_at      INTEGER,
  leased_by    TEXT NOT NULL DEFAULT '',
  leased_until INTEGER
) STRICT;

INSERT INTO webhooks (user_id, address, origin, types, standard, created_at)
SELECT user_id, address, origin, CASE notes
  WHEN 0 THEN '["video.ready","video.failed","video.canceled","video.unconfirmed"]'
  ELSE '["video.ready","video.failed","video.canceled","video.unconfirmed","note.created","verdict.given"]' END, 0, created_at
FROM earlier_webhooks ORDER BY created_at, user_id;
INSERT INTO webhook_secrets (webhook_id, sealed)
SELECT h.id, e.sealed FROM earlier_webhooks e JOIN webhooks h ON h.user_id = e.user_id ORDER BY h.id;
INSERT INTO deliveries (id, name, webhook_id, type, task_id, note_id, guest_id, state, outcome, http, problem, tries, created_at, tried_at, next_at)
SELECT e.id, e.name, h.id, CASE
  WHEN e.task_id IS NULL THEN 'test' WHEN e.note_id IS NOT NULL THEN 'note.created' WHEN e.guest_id IS NOT NULL THEN 'verdict.given'
  WHEN e.state = 'success' THEN 'video.ready' WHEN e.state = 'canceled' THEN 'video.canceled' WHEN e.state = 'unconfirmed' THEN 'video.unconfirmed'
  ELSE 'video.failed' END,
  e.task_id, e.note_id, e.guest_id, e.state, e.outcome, e.http, e.problem, e.tries, e.created_at, e.tried_at, e.next_at
FROM earlier_deliveries e JOIN webhooks h ON h.user_id = e.user_id ORDER BY e.id;
DROP TABLE earlier_deliveries;
DROP TABLE earlier_webhooks;

CREATE INDEX webhooks_of_user ON webhooks (user_id, id);
CREATE INDEX webhook_secrets_of_webhook ON webhook_secrets (webhook_id);
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, id);
CREATE INDEX deliveries_of_task ON deliveries (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX deliveries_of_note ON deliveries (note_id) WHERE note_id IS NOT NULL;
CREATE INDEX deliveries_of_guest ON deliveries (guest_id) WHERE guest_id IS NOT NULL;
CREATE INDEX deliveries_of_ask ON deliveries (ask_id) WHERE ask_id IS NOT NULL;

CREATE TRIGGER delivery_add AFTER UPDATE OF state ON tasks
WHEN old.state <> new.state AND new.state IN ('success', 'failed', 'canceled', 'rejected', 'unconfirmed') BEGIN
  INSERT INTO deliveries (webhook_id, type, task_id, state, created_at, next_at)
  SELECT h.id, k.value, new.id, new.state, coalesce(new.done_at, new.created_at),
    iif(h.state = 'paused', NULL, coalesce(new.done_at, new.created_at) + iif(new.keeping = 'saving', 120000, 0))
  FROM webhooks h, json_each(h.types) k
  WHERE (h.user_id = new.user_id OR h.user_id IS NULL AND new.private = 0) AND h.state <> 'off' AND k.value = CASE new.state
    WHEN 'success' THEN 'video.ready' WHEN 'canceled' THEN 'video.canceled' WHEN 'unconfirmed' THEN 'video.unconfirmed' ELSE 'video.failed' END;
END;
CREATE TRIGGER delivery_ready AFTER UPDATE OF keeping ON tasks
WHEN old.keeping = 'saving' AND new.keeping <> 'saving' BEGIN
  UPDATE deliveries SET next_at = created_at WHERE task_id = new.id AND next_at IS NOT NULL AND tries = 0;
END;
