-- Times are integers: unix milliseconds, UTC. NULL is a time that has not come.

CREATE TABLE users (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL,
  email      TEXT NOT NULL,        -- as typed
  email_key  TEXT NOT NULL UNIQUE, -- in lower case
  password   TEXT NOT NULL,
  role       TEXT NOT NULL,
  last_scene TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  token      BLOB NOT NULL UNIQUE, -- SHA-256
  agent      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_of_user ON sessions (user_id, seen_at);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE invites (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  token      BLOB NOT NULL UNIQUE, -- SHA-256
  created_by INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at    INTEGER,
  used_by    INTEGER REFERENCES users (id)
) STRICT;

CREATE TABLE keys (
  user_id     INTEGER PRIMARY KEY REFERENCES users (id),
  sealed      BLOB NOT NULL,
  last_four   TEXT NOT NULL,
  fingerprint BLOB,
  created_at  INTEGER NOT NULL,
  checked_at  INTEGER,
  accepted    INTEGER NOT NULL
) STRICT;

CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id      INTEGER NOT NULL REFERENCES users (id),
  form_token   TEXT NOT NULL CHECK (form_token <> ''),
  scene        TEXT NOT NULL,
  model        TEXT NOT NULL,
  state        TEXT NOT NULL,
  status       TEXT NOT NULL DEFAULT '',
  keeping      TEXT NOT NULL DEFAULT '',
  provider     TEXT NOT NULL,
  remote_id    TEXT NOT NULL DEFAULT '',
  upstream_id  TEXT NOT NULL DEFAULT '',
  progress     REAL NOT NULL DEFAULT 0,
  blame        TEXT NOT NULL DEFAULT '',
  quoted       REAL, -- credits; NULL is not known
  charged      REAL,
  returned     REAL,
  created_at   INTEGER NOT NULL,
  sent_at      INTEGER,
  accepted_at  INTEGER,
  done_at      INTEGER,
  returned_at  INTEGER,
  decided_at   INTEGER,
  next_at      INTEGER,
  asked        INTEGER NOT NULL DEFAULT 0,
  stumbles     INTEGER NOT NULL DEFAULT 0,
  leased_by    TEXT NOT NULL DEFAULT '',
  leased_until INTEGER,
  options      TEXT NOT NULL,                -- JSON, as db.Options
  pictures     TEXT NOT NULL,                -- JSON, a list of addresses
  results      TEXT NOT NULL DEFAULT 'null', -- JSON, a list of db.Result
  message      TEXT NOT NULL DEFAULT '',
  prompt       TEXT NOT NULL,

  -- What similar tasks are found by, see Usual.
  duration   INTEGER NOT NULL AS (coalesce(options ->> '$.duration', 0)),
  resolution TEXT    NOT NULL AS (coalesce(options ->> '$.resolution', '')),
  audio      INTEGER NOT NULL AS (coalesce(options ->> '$.generate_audio', -1)),

  -- What the maker still has to look at: it runs, or waits for a decision.
  active INTEGER NOT NULL AS (
    state IN ('queued', 'sending', 'pending', 'processing')
    OR (state = 'unconfirmed' AND decided_at IS NULL)),

  -- The gallery's filters, as words of the search index. They begin with a
  -- private character that no typed word can hold.
  facets TEXT NOT NULL AS (
    char(57344) || 'u' || user_id || ' ' || char(57344) || 's' || hex(state) || ' ' ||
    char(57344) || 'c' || hex(scene) || ' ' || char(57344) || 'm' || hex(model)),

  UNIQUE (user_id, form_token)
) STRICT;

CREATE INDEX tasks_of_user ON tasks (user_id, active);
CREATE INDEX tasks_queued ON tasks (user_id, id, next_at, leased_until) WHERE state = 'queued';
CREATE INDEX tasks_sending ON tasks (user_id) WHERE state = 'sending';
CREATE INDEX tasks_due ON tasks (next_at) WHERE next_at IS NOT NULL AND state <> 'queued';
CREATE INDEX tasks_leased ON tasks (leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX tasks_usual ON tasks (model, scene, duration, resolution, done_at, sent_at) WHERE state = 'success';
CREATE INDEX tasks_price ON tasks (model, scene, duration, resolution, audio, done_at, charged) WHERE state = 'success';
-- The month is no generated column, because with one SQLite reads whole rows
-- where the index alone would do.
CREATE INDEX tasks_usage ON tasks (
  strftime('%Y-%m', created_at / 1000, 'unixepoch'), user_id, created_at, state, charged, returned);

CREATE TABLE answers (
  task_id INTEGER NOT NULL REFERENCES tasks (id),
  call    TEXT NOT NULL,
  status  TEXT NOT NULL,
  http    INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (task_id, call, status)
) STRICT;

CREATE TABLE media (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id    INTEGER NOT NULL REFERENCES tasks (id),
  kind       TEXT NOT NULL,
  position   INTEGER NOT NULL,
  hash       TEXT NOT NULL,
  type       TEXT NOT NULL,
  size       INTEGER NOT NULL,
  source     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (task_id, kind, position)
) STRICT;

-- The words of every prompt, and the facets. One look-up answers any mix of
-- filters and words in the order of the gallery, because all of them are lists
-- of ids that are walked together. Every word is searched as a prefix: for the
-- lengths named here its list is there to be walked, for a longer one it is put
-- together first, which takes long where it begins many words.
CREATE VIRTUAL TABLE search USING fts5 (
  prompt, facets,
  content = 'tasks', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3 4 5 6 7 8'
);

CREATE TRIGGER search_add AFTER INSERT ON tasks BEGIN
  INSERT INTO search (rowid, prompt, facets) VALUES (new.id, new.prompt, new.facets);
END;
CREATE TRIGGER search_change AFTER UPDATE ON tasks
WHEN old.prompt IS NOT new.prompt OR old.facets IS NOT new.facets BEGIN
  INSERT INTO search (search, rowid, prompt, facets) VALUES ('delete', old.id, old.prompt, old.facets);
  INSERT INTO search (rowid, prompt, facets) VALUES (new.id, new.prompt, new.facets);
END;
CREATE TRIGGER search_remove AFTER DELETE ON tasks BEGIN
  INSERT INTO search (search, rowid, prompt, facets) VALUES ('delete', old.id, old.prompt, old.facets);
END;
