-- The tokens with which people's own programs use the API.
CREATE TABLE programs (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  name       TEXT NOT NULL,
  start      TEXT NOT NULL,        -- the first characters of the token
  token      BLOB NOT NULL UNIQUE, -- SHA-256
  may        TEXT NOT NULL CHECK (may IN ('look', 'make', 'change')),
  cap        INTEGER NOT NULL,     -- thousandths of a credit a month
  created_at INTEGER NOT NULL,
  ends_at    INTEGER NOT NULL,
  ended_at   INTEGER,
  used_at    INTEGER,
  used_from  TEXT NOT NULL,
  stopped_at INTEGER               -- a charge was higher than its quote
) STRICT;
CREATE INDEX programs_of_user ON programs (user_id, id);
CREATE INDEX programs_by_end ON programs (coalesce(ended_at, ends_at));

-- Which program has ordered a video, and in which month, for its cap.
CREATE TABLE program_tasks (
  program_id INTEGER NOT NULL,
  month      INTEGER NOT NULL,
  task_id    INTEGER NOT NULL UNIQUE REFERENCES tasks (id),
  PRIMARY KEY (program_id, month, task_id)
) STRICT, WITHOUT ROWID;

-- Requests that have made videos, so that a repeat gets the answer of the first.
CREATE TABLE program_requests (
  user_id    INTEGER NOT NULL REFERENCES users (id),
  key        TEXT NOT NULL,    -- the Idempotency-Key
  body       BLOB NOT NULL,    -- SHA-256
  task_id    INTEGER NOT NULL REFERENCES tasks (id), -- the first that it has made
  count      INTEGER NOT NULL, -- how many it has made
  created_at INTEGER NOT NULL,
  status     INTEGER NOT NULL, -- 0 until it is answered
  answer     TEXT NOT NULL,
  PRIMARY KEY (user_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX program_requests_by_age ON program_requests (created_at);
CREATE INDEX program_requests_of_task ON program_requests (task_id);
