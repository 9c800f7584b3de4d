-- How a task is sent and asked about.

-- The key with which a task was sent, sealed, until the task ends: it is
-- followed with that key, whatever becomes of its maker's.
CREATE TABLE task_keys (
  task_id     INTEGER PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
  sealed      BLOB NOT NULL,
  fingerprint BLOB NOT NULL
) STRICT;

-- What is under way goes on with the key that its maker has now.
INSERT INTO task_keys (task_id, sealed, fingerprint)
SELECT t.id, k.sealed, coalesce(k.fingerprint, x'')
FROM tasks t JOIN keys k ON k.user_id = t.user_id
WHERE t.state IN ('sending', 'pending', 'processing') OR t.keeping = 'saving'
  OR (t.state = 'unconfirmed' AND t.decided_at IS NULL);

CREATE TRIGGER task_key_drop AFTER UPDATE OF state, keeping, decided_at ON tasks
WHEN NOT (new.state IN ('sending', 'pending', 'processing') OR new.keeping = 'saving'
  OR (new.state = 'unconfirmed' AND new.decided_at IS NULL)) BEGIN
  DELETE FROM task_keys WHERE task_id = new.id;
END;

-- When each person's create call last had its turn: a count, not a time. People
-- who share a key take turns by it.
CREATE TABLE turns (
  user_id INTEGER PRIMARY KEY REFERENCES users (id),
  turn    INTEGER NOT NULL
) STRICT;

-- A task is found by the id that the service gave it.
CREATE INDEX tasks_remote ON tasks (remote_id) WHERE remote_id <> '';

-- A finished video without an address used to be given up at once. The service
-- is asked for the address of the recent ones again; the others say what their
-- maker can do.
UPDATE tasks SET keeping = 'saving', next_at = done_at
WHERE state = 'success' AND keeping = '' AND purged_at IS NULL AND deleted_at IS NULL
  AND remote_id <> '' AND done_at > (unixepoch() - 72 * 3600) * 1000
  AND NOT EXISTS (SELECT 1 FROM media WHERE task_id = tasks.id AND kind = 'video');
INSERT INTO task_keys (task_id, sealed, fingerprint)
SELECT t.id, k.sealed, coalesce(k.fingerprint, x'')
FROM tasks t JOIN keys k ON k.user_id = t.user_id
WHERE t.keeping = 'saving'
ON CONFLICT DO NOTHING;
UPDATE tasks SET keeping = 'lost', blame = 'service', message = 'The service says that the video is made, but its answer named no address of it.'
WHERE state = 'success' AND keeping = '' AND purged_at IS NULL AND remote_id <> ''
  AND NOT EXISTS (SELECT 1 FROM media WHERE task_id = tasks.id AND kind = 'video');

-- Of the states that a service makes up only the newest answers are kept.
DELETE FROM answers WHERE status NOT IN ('', 'pending', 'processing', 'success', 'failed', 'canceled')
  AND rowid NOT IN (
    SELECT rowid FROM (
      SELECT rowid, row_number() OVER (PARTITION BY task_id, call ORDER BY at DESC, rowid DESC) AS place
      FROM answers WHERE status NOT IN ('', 'pending', 'processing', 'success', 'failed', 'canceled'))
    WHERE place <= 3);

-- The next of a person's videos that wait to be sent, however many there are.
CREATE INDEX tasks_queued_next ON tasks (user_id, next_at) WHERE state = 'queued' AND leased_until IS NULL;
