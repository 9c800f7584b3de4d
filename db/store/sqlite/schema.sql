-- What the migrations make of an empty file. It is written by a test (schema_test.go)
-- and shows all tables in one place.

CREATE TABLE users (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL,
  email      TEXT NOT NULL,        -- as typed
  email_key  TEXT NOT NULL UNIQUE, -- in lower case
  password   TEXT NOT NULL,
  role       TEXT NOT NULL,
  last_scene TEXT NOT NULL,
  created_at INTEGER NOT NULL
, email_norm TEXT NOT NULL DEFAULT '', seen_at INTEGER, deactivated_at INTEGER, team_key_id INTEGER REFERENCES team_keys (id), closed_announcement TEXT NOT NULL DEFAULT '', still INTEGER NOT NULL DEFAULT 0, refused_at INTEGER) STRICT;

CREATE TABLE sessions (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  token      BLOB NOT NULL UNIQUE, -- SHA-256
  agent      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
, for_host INTEGER NOT NULL DEFAULT 0, method TEXT NOT NULL DEFAULT 'password') STRICT;

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
, role TEXT NOT NULL DEFAULT 'member', email TEXT NOT NULL DEFAULT '', allowance TEXT NOT NULL DEFAULT 'default', credits INTEGER NOT NULL DEFAULT 0) STRICT;

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
  created_at   INTEGER NOT NULL,
  sent_at      INTEGER,
  accepted_at  INTEGER,
  done_at      INTEGER,
  returned_at  INTEGER,
  decided_at   INTEGER,
  refreshed_at INTEGER,
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
  starred INTEGER NOT NULL DEFAULT 0, private INTEGER NOT NULL DEFAULT 0, deleted_at INTEGER, deleted_by INTEGER REFERENCES users (id), purged_at INTEGER, parent_id INTEGER REFERENCES tasks (id), bond TEXT NOT NULL DEFAULT '', batch TEXT NOT NULL DEFAULT '', recipe_id INTEGER REFERENCES recipes (id), words TEXT, searched TEXT AS (coalesce(words, prompt)), copy_host TEXT NOT NULL DEFAULT '', failing_since INTEGER, aspect_ratio TEXT NOT NULL AS (coalesce(options ->> '$.aspect_ratio', '')), team INTEGER NOT NULL AS (state = 'success' AND private = 0 AND deleted_at IS NULL), day INTEGER NOT NULL DEFAULT 0, outcome TEXT NOT NULL AS (
  iif(state IN ('queued', 'sending', 'pending', 'processing'), 'running', state)), title TEXT NOT NULL DEFAULT '', quoted INTEGER, charged INTEGER, returned INTEGER, paid INTEGER NOT NULL AS (coalesce(charged, 0)), refunded INTEGER NOT NULL AS (coalesce(returned, 0)), payer_id INTEGER REFERENCES users (id), payer INTEGER NOT NULL AS (coalesce(payer_id, user_id)), key_id INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0, service_id INTEGER NOT NULL DEFAULT 1, sent_prompt TEXT NOT NULL DEFAULT '', stack INTEGER REFERENCES tasks (id), making_at INTEGER, bulk INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL AS (
  CASE WHEN charged IS NOT NULL THEN charged - coalesce(returned, 0)
    WHEN state IN ('queued', 'sending', 'pending', 'processing', 'success', 'canceled') OR (state = 'unconfirmed' AND decided_at IS NULL)
      OR (state = 'failed' AND (status = 'success' OR blame = 'service')) THEN held
    ELSE 0 END),

  UNIQUE (user_id, form_token)
) STRICT;

CREATE INDEX tasks_of_user ON tasks (user_id, active);

CREATE INDEX tasks_queued ON tasks (user_id, id, next_at, leased_until) WHERE state = 'queued';

CREATE INDEX tasks_sending ON tasks (user_id) WHERE state = 'sending';

CREATE INDEX tasks_ask ON tasks (next_at, id, leased_until) WHERE state IN ('pending', 'processing');

CREATE INDEX tasks_leased ON tasks (leased_until) WHERE leased_until IS NOT NULL;

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
  created_at INTEGER NOT NULL, lost_at INTEGER, width INTEGER NOT NULL DEFAULT 0, height INTEGER NOT NULL DEFAULT 0, thumb_due INTEGER, marks TEXT NOT NULL DEFAULT '', served_hash TEXT NOT NULL DEFAULT '', film TEXT NOT NULL DEFAULT '{}', film_due INTEGER NOT NULL DEFAULT 0,
  UNIQUE (task_id, kind, position)
) STRICT;

CREATE INDEX tasks_pictured ON tasks (user_id, id) WHERE pictures NOT IN ('[]', 'null');

CREATE TABLE recipes (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL,
  note       TEXT NOT NULL,
  scene      TEXT NOT NULL,
  model      TEXT NOT NULL,
  prompt     TEXT NOT NULL,
  provider   TEXT NOT NULL,
  pictures   TEXT NOT NULL, -- JSON, a list of addresses and blanks
  options    TEXT NOT NULL, -- JSON, as db.Options
  task_id    INTEGER REFERENCES tasks (id), -- it was saved from
  created_by INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  deleted_at INTEGER
, ceiling INTEGER) STRICT;

CREATE INDEX tasks_children ON tasks (parent_id, id) WHERE parent_id IS NOT NULL;

CREATE INDEX tasks_batch ON tasks (batch, id) WHERE batch <> '';

CREATE INDEX tasks_binned ON tasks (deleted_at, id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;

CREATE INDEX tasks_created ON tasks (created_at, id);

CREATE INDEX tasks_of_recipe ON tasks (recipe_id, user_id, state, private, deleted_at, created_at) WHERE recipe_id IS NOT NULL;

CREATE TABLE tags (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL,
  name_key   TEXT NOT NULL UNIQUE, -- as db.TagKey has it
  created_by INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE task_tags (
  task_id INTEGER NOT NULL REFERENCES tasks (id),
  tag_id  INTEGER NOT NULL REFERENCES tags (id),
  PRIMARY KEY (task_id, tag_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX tasks_of_tag ON task_tags (tag_id, task_id);

CREATE TABLE collections (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL,
  note       TEXT NOT NULL,
  created_by INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL
, deleted_at INTEGER, deleted_by INTEGER REFERENCES users (id)) STRICT;

CREATE TABLE collection_tasks (
  collection_id INTEGER NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
  task_id       INTEGER NOT NULL REFERENCES tasks (id),
  position      INTEGER NOT NULL,
  added_by      INTEGER NOT NULL REFERENCES users (id),
  added_at      INTEGER NOT NULL,
  PRIMARY KEY (collection_id, task_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX collections_of_task ON collection_tasks (task_id, collection_id);

CREATE INDEX collection_order ON collection_tasks (collection_id, position);

CREATE TABLE leftovers (
  hash TEXT PRIMARY KEY,
  at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX media_of_hash ON media (hash);

CREATE VIRTUAL TABLE search USING fts5 (
  searched,
  content = 'tasks', content_rowid = 'id',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M*'", prefix = '1 2 3 4 5 6 7 8'
);

CREATE TRIGGER search_add AFTER INSERT ON tasks BEGIN
  INSERT INTO search (rowid, searched) VALUES (new.id, new.searched);
END;

CREATE TRIGGER search_change AFTER UPDATE ON tasks WHEN old.searched IS NOT new.searched BEGIN
  INSERT INTO search (search, rowid, searched) VALUES ('delete', old.id, old.searched);
  INSERT INTO search (rowid, searched) VALUES (new.id, new.searched);
END;

CREATE TRIGGER search_remove AFTER DELETE ON tasks BEGIN
  INSERT INTO search (search, rowid, searched) VALUES ('delete', old.id, old.searched);
END;

CREATE INDEX users_by_email ON users (email_norm);

CREATE TABLE resets (
  user_id    INTEGER PRIMARY KEY REFERENCES users (id),
  token      BLOB NOT NULL UNIQUE, -- SHA-256
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
, by_server INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE typed (
  token BLOB PRIMARY KEY, -- SHA-256
  at    INTEGER NOT NULL,
  form  TEXT NOT NULL     -- JSON, as db.Typed
, browser BLOB NOT NULL DEFAULT x'', counts_for BLOB NOT NULL DEFAULT x'', known INTEGER NOT NULL DEFAULT 0, size INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX typed_by_age ON typed (at, token);

CREATE TABLE "shares" (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  token         BLOB NOT NULL UNIQUE, -- SHA-256
  sealed        BLOB,
  task_id       INTEGER REFERENCES tasks (id),
  collection_id INTEGER REFERENCES collections (id) ON DELETE CASCADE,
  title         TEXT NOT NULL,
  created_by    INTEGER NOT NULL REFERENCES users (id),
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  revoked_at    INTEGER, story INTEGER NOT NULL DEFAULT 0, may TEXT NOT NULL DEFAULT 'look', password TEXT NOT NULL DEFAULT '', download INTEGER NOT NULL DEFAULT 1, takes INTEGER NOT NULL DEFAULT 0, welcome TEXT NOT NULL DEFAULT '', named INTEGER NOT NULL DEFAULT 0,
  CHECK ((task_id IS NULL) <> (collection_id IS NULL))
) STRICT;

CREATE TABLE unsealed_shares (
  share_id INTEGER PRIMARY KEY,
  token    TEXT NOT NULL
) STRICT;

CREATE INDEX shares_of_task ON shares (task_id) WHERE task_id IS NOT NULL;

CREATE INDEX shares_of_collection ON shares (collection_id) WHERE collection_id IS NOT NULL;

CREATE INDEX shares_of_user ON shares (created_by, id);

CREATE UNIQUE INDEX collection_names ON collections (lower(name)) WHERE deleted_at IS NULL;

CREATE INDEX collections_changed ON collections (changed_at) WHERE deleted_at IS NULL;

CREATE INDEX collections_binned ON collections (deleted_by, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE unsealed_pictures (
  picture_id INTEGER PRIMARY KEY,
  token      TEXT NOT NULL
) STRICT;

CREATE TABLE "pictures" (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  hash       TEXT NOT NULL,
  type       TEXT NOT NULL,
  size       INTEGER NOT NULL,
  width      INTEGER NOT NULL,
  height     INTEGER NOT NULL,
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- when it was uploaded last
  found_at   INTEGER,          -- when the sweep last found it in use
  thumbnail  BLOB,             -- a small JPEG; empty where none can be made; NULL where none was asked for
  UNIQUE (user_id, hash)
) STRICT;

CREATE INDEX pictures_of_user ON pictures (user_id, created_at);

CREATE INDEX pictures_use ON pictures (user_id, size);

CREATE INDEX pictures_of_hash ON pictures (hash);

CREATE INDEX pictures_due ON pictures (coalesce(found_at, created_at));

CREATE TABLE picture_tokens (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  token      BLOB NOT NULL UNIQUE, -- SHA-256
  sealed     BLOB,
  picture_id INTEGER NOT NULL REFERENCES pictures (id) ON DELETE CASCADE
, service_id INTEGER NOT NULL DEFAULT 1, member_id INTEGER, ended_at INTEGER) STRICT;

CREATE INDEX tokens_of_picture ON picture_tokens (picture_id, id);

CREATE TABLE task_keys (
  task_id     INTEGER PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
  sealed      BLOB NOT NULL,
  fingerprint BLOB NOT NULL
, team_key_id INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TRIGGER task_key_drop AFTER UPDATE OF state, keeping, decided_at ON tasks
WHEN NOT (new.state IN ('sending', 'pending', 'processing') OR new.keeping = 'saving'
  OR (new.state = 'unconfirmed' AND new.decided_at IS NULL)) BEGIN
  DELETE FROM task_keys WHERE task_id = new.id;
END;

CREATE TABLE turns (
  user_id INTEGER PRIMARY KEY REFERENCES users (id),
  turn    INTEGER NOT NULL
, passed INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX tasks_remote ON tasks (remote_id) WHERE remote_id <> '';

CREATE INDEX tasks_queued_next ON tasks (user_id, next_at) WHERE state = 'queued' AND leased_until IS NULL;

CREATE INDEX tasks_keep ON tasks (user_id, copy_host, next_at, id, leased_until) WHERE keeping = 'saving';

CREATE INDEX tasks_under_way ON tasks (model, scene, duration, resolution, sent_at) WHERE state IN ('pending', 'processing');

CREATE TABLE clock (
	id      INTEGER PRIMARY KEY CHECK (id = 1),
	trusted INTEGER NOT NULL,
	latest  INTEGER NOT NULL,
	claim   INTEGER,          -- NULL while the machine's clock is trusted
	held    INTEGER NOT NULL  -- milliseconds
) STRICT;

CREATE TABLE gallery (
  id           INTEGER PRIMARY KEY, -- of the task
  user_id      INTEGER NOT NULL,
  team         INTEGER NOT NULL,
  starred      INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  state        TEXT NOT NULL,
  scene        TEXT NOT NULL,
  aspect_ratio TEXT NOT NULL,
  model        TEXT NOT NULL
) STRICT;

CREATE TRIGGER gallery_add AFTER INSERT ON tasks WHEN new.deleted_at IS NULL BEGIN
  INSERT INTO gallery (id, user_id, team, starred, created_at, state, scene, aspect_ratio, model)
  VALUES (new.id, new.user_id, new.team, new.starred, new.created_at, new.state, new.scene, new.aspect_ratio, new.model);
END;

CREATE TRIGGER gallery_remove AFTER DELETE ON tasks BEGIN
  DELETE FROM gallery WHERE id = old.id;
END;

CREATE TRIGGER gallery_bin AFTER UPDATE OF deleted_at ON tasks
WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
  DELETE FROM gallery WHERE id = new.id;
  INSERT INTO gallery (id, user_id, team, starred, created_at, state, scene, aspect_ratio, model)
  SELECT id, user_id, team, starred, created_at, state, scene, aspect_ratio, model
  FROM tasks WHERE id = new.id AND deleted_at IS NULL;
END;

CREATE TRIGGER gallery_change AFTER UPDATE OF state, private, starred ON tasks
WHEN old.state <> new.state OR old.private <> new.private OR old.starred <> new.starred BEGIN
  UPDATE gallery SET state = new.state, team = new.team, starred = new.starred WHERE id = new.id;
END;

CREATE TRIGGER gallery_edit AFTER UPDATE OF user_id, created_at, scene, model, options ON tasks
WHEN old.user_id <> new.user_id OR old.created_at <> new.created_at OR old.scene <> new.scene
  OR old.model <> new.model OR old.aspect_ratio <> new.aspect_ratio BEGIN
  UPDATE gallery SET user_id = new.user_id, created_at = new.created_at, scene = new.scene, model = new.model,
    aspect_ratio = new.aspect_ratio
  WHERE id = new.id;
END;

CREATE TABLE cuts (
	task_id INTEGER PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
	place   INTEGER NOT NULL,
	start   INTEGER NOT NULL, -- the first frame that is kept, counted from 0
	finish  INTEGER NOT NULL  -- the frame after the last one; 0 means the end of the video
, left_out INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX media_thumb_due ON media (thumb_due) WHERE thumb_due IS NOT NULL;

CREATE TRIGGER cover_added AFTER INSERT ON media WHEN new.kind = 'cover' BEGIN
  UPDATE media SET thumb_due = new.created_at WHERE id = new.id;
END;

CREATE TRIGGER cover_changed AFTER UPDATE OF hash, lost_at ON media WHEN new.kind = 'cover' AND new.lost_at IS NULL AND (new.hash <> old.hash OR old.lost_at IS NOT NULL) BEGIN
  UPDATE media SET thumb_due = new.created_at WHERE id = new.id;
END;

CREATE TRIGGER thumb_lost AFTER UPDATE OF lost_at ON media WHEN new.kind = 'thumb' AND new.lost_at IS NOT NULL BEGIN
  UPDATE media SET thumb_due = new.created_at WHERE task_id = new.task_id AND kind = 'cover' AND lost_at IS NULL;
END;

CREATE TABLE create_calls (
  lane    TEXT PRIMARY KEY,
  task_id INTEGER NOT NULL UNIQUE REFERENCES tasks (id) ON DELETE CASCADE,
  process TEXT NOT NULL -- that makes the call
, frees_at INTEGER) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
  name         TEXT PRIMARY KEY,
  leased_by    TEXT NOT NULL, -- a process
  leased_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
  name    BLOB PRIMARY KEY,
  full_at INTEGER NOT NULL -- when all attempts are there again
) STRICT, WITHOUT ROWID;

CREATE INDEX attempts_over ON attempts (full_at);

CREATE TABLE team_keys (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  name        TEXT NOT NULL,
  sealed      BLOB NOT NULL,
  last_four   TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  standard    INTEGER NOT NULL DEFAULT 0, -- 1: of everybody who has no other
  created_at  INTEGER NOT NULL,
  checked_at  INTEGER,
  accepted    INTEGER NOT NULL DEFAULT 0,
  deleted_at  INTEGER -- its name and its totals stay
, service_id INTEGER NOT NULL DEFAULT 1) STRICT;

CREATE TABLE purses (
  user_id   INTEGER PRIMARY KEY,
  allowance TEXT NOT NULL DEFAULT 'default' CHECK (allowance IN ('default', 'none', 'own')),
  credits   INTEGER NOT NULL DEFAULT 0, -- thousandths, of an allowance of their own
  self      INTEGER,                    -- the lower limit that the person wants; NULL is none
  presses   INTEGER NOT NULL DEFAULT 0,
  warned    INTEGER NOT NULL DEFAULT 0, -- the month of the last warning, and its percents in the last three digits
  warned_of_team INTEGER NOT NULL DEFAULT 0, -- the same of what an admin was told of the team
  mailed    INTEGER NOT NULL DEFAULT 0  -- the same of the last mail
) STRICT;

CREATE TABLE asks (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id     INTEGER NOT NULL REFERENCES users (id),
  month       INTEGER NOT NULL, -- such as 202611
  credits     INTEGER NOT NULL, -- thousandths
  unpriced    INTEGER NOT NULL DEFAULT 0, -- 1: for videos of which nobody knows what they cost
  sentence    TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  answer      TEXT NOT NULL DEFAULT '' CHECK (answer IN ('', 'once', 'month', 'always', 'no')),
  reason      TEXT NOT NULL DEFAULT '',
  answered_by INTEGER REFERENCES users (id),
  answered_at INTEGER,
  used_at     INTEGER, -- when a press used up what was allowed once
  task_id     INTEGER, -- a video of that press: if it is refused, what was allowed is there again
  ended_at    INTEGER, -- when what was allowed was taken back
  told_at     INTEGER  -- when the person has seen the answer
, service_id INTEGER NOT NULL DEFAULT 1) STRICT;

CREATE UNIQUE INDEX asks_open ON asks (user_id) WHERE answer = '';

CREATE INDEX asks_of_user ON asks (user_id, id);

CREATE TABLE audit (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  at        INTEGER NOT NULL,
  actor_id  INTEGER NOT NULL, -- 0 for nobody who is signed in
  actor     TEXT NOT NULL,
  action    TEXT NOT NULL,
  user_id   INTEGER NOT NULL, -- whom it is about; 0 for nobody
  user_name TEXT NOT NULL,
  what      TEXT NOT NULL,
  before    TEXT NOT NULL,
  after     TEXT NOT NULL,
  address   TEXT NOT NULL -- the network address that it came from
) STRICT;

CREATE INDEX audit_at ON audit (at);

CREATE INDEX audit_by_actor ON audit (actor_id, id);

CREATE INDEX audit_by_action ON audit (action, id);

CREATE INDEX audit_by_user ON audit (user_id, id);

CREATE TABLE identities (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  issuer     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  email      TEXT NOT NULL, -- as the provider said it last
  created_at INTEGER NOT NULL,
  used_at    INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX identity_subjects ON identities (issuer, subject);

CREATE INDEX identities_by_user ON identities (user_id);

CREATE TABLE passkeys (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  handle     BLOB NOT NULL, -- the person as their passkeys know them; equal for all of one person
  credential BLOB NOT NULL, -- its id, which the authenticator has chosen
  record     TEXT NOT NULL, -- its public key and counter, JSON
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER
) STRICT;

CREATE UNIQUE INDEX passkey_credentials ON passkeys (credential);

CREATE INDEX passkeys_by_user ON passkeys (user_id);

CREATE INDEX passkeys_by_handle ON passkeys (handle);

CREATE TABLE codes (
  user_id    INTEGER PRIMARY KEY REFERENCES users (id),
  sealed     BLOB NOT NULL,
  step       INTEGER NOT NULL, -- of the last code that was used: none is taken twice
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE recovery_codes (
  user_id INTEGER NOT NULL REFERENCES users (id),
  hash    BLOB NOT NULL,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE challenges (
  hash       BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX challenges_expire ON challenges (expires_at);

CREATE TABLE mails (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT NOT NULL UNIQUE, -- the same for every try
  kind         TEXT NOT NULL,
  user_id      INTEGER REFERENCES users (id), -- NULL: whoever has the address
  address      TEXT NOT NULL DEFAULT '',
  topic        TEXT NOT NULL DEFAULT '', -- of which one mail at a time waits; empty for any number
  details      TEXT NOT NULL DEFAULT '{}', -- JSON, without secrets
  sealed       BLOB, -- the token of its link
  changes      INTEGER NOT NULL DEFAULT 0, -- of what it tells, since it was added
  tries        INTEGER NOT NULL DEFAULT 0,
  problem      TEXT NOT NULL DEFAULT '',
  created_at   INTEGER NOT NULL,
  until        INTEGER NOT NULL, -- when it is given up
  tried_at     INTEGER,
  next_at      INTEGER, -- NULL: sent, or given up
  sent_at      INTEGER,
  leased_by    TEXT NOT NULL DEFAULT '',
  leased_until INTEGER
, address_key TEXT NOT NULL DEFAULT '') STRICT;

CREATE UNIQUE INDEX mails_topic ON mails (topic) WHERE topic <> '' AND next_at IS NOT NULL;

CREATE INDEX mails_due ON mails (next_at) WHERE next_at IS NOT NULL;

CREATE INDEX mails_leased ON mails (leased_until) WHERE leased_until IS NOT NULL;

CREATE INDEX mails_over ON mails (created_at) WHERE next_at IS NULL;

CREATE TABLE mail_choices (
  user_id INTEGER NOT NULL REFERENCES users (id),
  notice  TEXT NOT NULL,
  wanted  INTEGER NOT NULL,
  PRIMARY KEY (user_id, notice)
) STRICT, WITHOUT ROWID;

CREATE INDEX typed_by_owner ON typed (known, counts_for, size);

CREATE INDEX typed_by_browser ON typed (browser);

CREATE TABLE guesses (
  name  BLOB PRIMARY KEY,
  wrong INTEGER NOT NULL,
  at    INTEGER NOT NULL -- when the last one was made
) STRICT, WITHOUT ROWID;

CREATE INDEX guesses_age ON guesses (at);

CREATE TABLE provider_sessions (
  session_id   INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  sealed       BLOB NOT NULL,
  next_at      INTEGER, -- when the provider is asked again; NULL if it cannot be asked
  tries        INTEGER NOT NULL DEFAULT 0, -- since its last answer
  leased_by    TEXT NOT NULL DEFAULT '',
  leased_until INTEGER
) STRICT;

CREATE INDEX provider_sessions_due ON provider_sessions (next_at) WHERE next_at IS NOT NULL;

CREATE INDEX tasks_ask_by_person ON tasks (user_id, key_id, next_at) WHERE state IN ('pending', 'processing');

CREATE TABLE kept_bytes (
  part  INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT;

CREATE TRIGGER kept_media_add AFTER INSERT ON media BEGIN
  UPDATE kept_bytes SET bytes = bytes + new.size WHERE part = 0;
END;

CREATE TRIGGER kept_media_remove AFTER DELETE ON media BEGIN
  UPDATE kept_bytes SET bytes = bytes - old.size WHERE part = 0;
END;

CREATE TRIGGER kept_media_change AFTER UPDATE OF size ON media WHEN old.size <> new.size BEGIN
  UPDATE kept_bytes SET bytes = bytes + new.size - old.size WHERE part = 0;
END;

CREATE TRIGGER kept_picture_add AFTER INSERT ON pictures BEGIN
  UPDATE kept_bytes SET bytes = bytes + new.size WHERE part = 0;
END;

CREATE TRIGGER kept_picture_remove AFTER DELETE ON pictures BEGIN
  UPDATE kept_bytes SET bytes = bytes - old.size WHERE part = 0;
END;

CREATE TRIGGER kept_picture_change AFTER UPDATE OF size ON pictures WHEN old.size <> new.size BEGIN
  UPDATE kept_bytes SET bytes = bytes + new.size - old.size WHERE part = 0;
END;

CREATE TABLE collection_counts (
  collection_id INTEGER NOT NULL,
  user_id       INTEGER NOT NULL,
  videos        INTEGER NOT NULL,
  PRIMARY KEY (collection_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER collected_add AFTER INSERT ON collection_tasks BEGIN
  INSERT INTO collection_counts (collection_id, user_id, videos)
  SELECT new.collection_id, iif(team = 1, 0, user_id), 1 FROM gallery WHERE id = new.task_id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;

CREATE TRIGGER collected_remove AFTER DELETE ON collection_tasks BEGIN
  UPDATE collection_counts SET videos = videos - 1
  WHERE collection_id = old.collection_id
    AND user_id = (SELECT iif(team = 1, 0, user_id) FROM gallery WHERE id = old.task_id);
END;

CREATE TRIGGER collected_gone AFTER DELETE ON collections BEGIN
  DELETE FROM collection_counts WHERE collection_id = old.id;
END;

CREATE TRIGGER collected_shown AFTER INSERT ON gallery BEGIN
  INSERT INTO collection_counts (collection_id, user_id, videos)
  SELECT collection_id, iif(new.team = 1, 0, new.user_id), 1 FROM collection_tasks WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;

CREATE TRIGGER collected_hidden AFTER DELETE ON gallery BEGIN
  UPDATE collection_counts SET videos = videos - 1
  WHERE user_id = iif(old.team = 1, 0, old.user_id)
    AND collection_id IN (SELECT collection_id FROM collection_tasks WHERE task_id = old.id);
END;

CREATE TRIGGER collected_change AFTER UPDATE OF team, user_id ON gallery
WHEN iif(old.team = 1, 0, old.user_id) <> iif(new.team = 1, 0, new.user_id) BEGIN
  UPDATE collection_counts SET videos = videos - 1
  WHERE user_id = iif(old.team = 1, 0, old.user_id)
    AND collection_id IN (SELECT collection_id FROM collection_tasks WHERE task_id = new.id);
  INSERT INTO collection_counts (collection_id, user_id, videos)
  SELECT collection_id, iif(new.team = 1, 0, new.user_id), 1 FROM collection_tasks WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;

CREATE INDEX tasks_binned_of_maker ON tasks (user_id, id, deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;

CREATE INDEX tasks_binned_of_team ON tasks (private) WHERE deleted_at IS NOT NULL AND purged_at IS NULL AND state = 'success' AND private = 0;

CREATE INDEX gallery_of_team ON gallery (team);

CREATE INDEX gallery_starred ON gallery (team, id, user_id, scene, aspect_ratio, model, created_at) WHERE starred = 1;

CREATE TABLE versions (
  name  TEXT PRIMARY KEY,
  stamp INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER version_task_add AFTER INSERT ON tasks BEGIN
  INSERT INTO versions (name, stamp)
  SELECT name, abs(random() % 1000000000000000) FROM (
    SELECT 'person ' || new.user_id AS name
    UNION ALL SELECT 'queue' WHERE new.state IN ('queued', 'sending', 'pending')
    UNION ALL SELECT 'usual' WHERE new.state = 'success'
    UNION ALL SELECT 'price ' || new.model WHERE new.charged > 0 OR new.charged = 0 AND new.state = 'success'
  ) changed WHERE true
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_task_remove AFTER DELETE ON tasks BEGIN
  INSERT INTO versions (name, stamp)
  SELECT name, abs(random() % 1000000000000000) FROM (
    SELECT 'person ' || old.user_id AS name
    UNION ALL SELECT 'queue' WHERE old.state IN ('queued', 'sending', 'pending')
    UNION ALL SELECT 'usual' WHERE old.state = 'success'
    UNION ALL SELECT 'price ' || old.model WHERE old.charged > 0 OR old.charged = 0 AND old.state = 'success'
  ) changed WHERE true
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_task_change AFTER UPDATE OF
  user_id, scene, model, state, status, keeping, provider, remote_id, upstream_id, progress, blame, quoted, charged, returned,
  created_at, sent_at, accepted_at, done_at, returned_at, decided_at, stumbles, options, pictures, results, message, prompt, title,
  starred, private, deleted_at, deleted_by, purged_at, parent_id, bond, batch, recipe_id, payer_id, key_id
ON tasks
WHEN (old.user_id, old.scene, old.model, old.state, old.status, old.keeping, old.provider, old.remote_id, old.upstream_id,
    old.progress, old.blame, old.quoted, old.charged, old.returned, old.created_at, old.sent_at, old.accepted_at, old.done_at,
    old.returned_at, old.decided_at, old.stumbles, old.options, old.pictures, old.results, old.message, old.prompt, old.title,
    old.starred, old.private, old.deleted_at, old.deleted_by, old.purged_at, old.parent_id, old.bond, old.batch, old.recipe_id,
    old.payer_id, old.key_id)
  IS NOT (new.user_id, new.scene, new.model, new.state, new.status, new.keeping, new.provider, new.remote_id, new.upstream_id,
    new.progress, new.blame, new.quoted, new.charged, new.returned, new.created_at, new.sent_at, new.accepted_at, new.done_at,
    new.returned_at, new.decided_at, new.stumbles, new.options, new.pictures, new.results, new.message, new.prompt, new.title,
    new.starred, new.private, new.deleted_at, new.deleted_by, new.purged_at, new.parent_id, new.bond, new.batch, new.recipe_id,
    new.payer_id, new.key_id)
BEGIN
  INSERT INTO versions (name, stamp)
  SELECT name, abs(random() % 1000000000000000) FROM (
    SELECT 'person ' || new.user_id AS name
    UNION ALL SELECT 'person ' || old.user_id WHERE old.user_id <> new.user_id
    UNION ALL SELECT 'queue'
      WHERE (old.state, old.sent_at, old.user_id) IS NOT (new.state, new.sent_at, new.user_id)
        AND (old.state IN ('queued', 'sending', 'pending') OR new.state IN ('queued', 'sending', 'pending'))
    UNION ALL SELECT 'usual'
      WHERE (old.state, old.sent_at, old.done_at, old.model, old.scene, old.duration, old.resolution)
          IS NOT (new.state, new.sent_at, new.done_at, new.model, new.scene, new.duration, new.resolution)
        AND (old.state = 'success' OR new.state = 'success')
    UNION ALL SELECT 'price ' || old.model WHERE old.model <> new.model
    UNION ALL SELECT 'price ' || new.model
      WHERE (iif(old.charged > 0 OR old.state = 'success', old.charged, NULL), old.model, old.scene, old.duration, old.resolution, old.audio)
        IS NOT (iif(new.charged > 0 OR new.state = 'success', new.charged, NULL), new.model, new.scene, new.duration, new.resolution, new.audio)
  ) changed WHERE true
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_media_add AFTER INSERT ON media BEGIN
  INSERT INTO versions (name, stamp)
  SELECT 'person ' || user_id, abs(random() % 1000000000000000) FROM tasks WHERE id = new.task_id
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_media_remove AFTER DELETE ON media BEGIN
  INSERT INTO versions (name, stamp)
  SELECT 'person ' || user_id, abs(random() % 1000000000000000) FROM tasks WHERE id = old.task_id
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_media_change
AFTER UPDATE OF task_id, kind, position, hash, type, size, source, created_at, lost_at, width, height ON media BEGIN
  INSERT INTO versions (name, stamp)
  SELECT 'person ' || user_id, abs(random() % 1000000000000000) FROM tasks WHERE id IN (old.task_id, new.task_id)
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_turn_add AFTER INSERT ON turns BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_turn_change AFTER UPDATE ON turns BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_turn_remove AFTER DELETE ON turns BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_call_add AFTER INSERT ON create_calls BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_call_change AFTER UPDATE ON create_calls BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_call_remove AFTER DELETE ON create_calls BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_team_key_add AFTER INSERT ON team_keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_team_key_change AFTER UPDATE OF name, fingerprint, last_four, standard, deleted_at ON team_keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_team_key_remove AFTER DELETE ON team_keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_user_change AFTER UPDATE OF name, team_key_id, deactivated_at ON users
WHEN (old.name, old.team_key_id, old.deactivated_at) IS NOT (new.name, new.team_key_id, new.deactivated_at) BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_setting_add AFTER INSERT ON settings WHEN new.name = 'own keys' BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_setting_change AFTER UPDATE ON settings WHEN old.name = 'own keys' OR new.name = 'own keys' BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_setting_remove AFTER DELETE ON settings WHEN old.name = 'own keys' BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE INDEX tasks_unconfirmed ON tasks (id) WHERE state = 'unconfirmed' AND decided_at IS NULL;

CREATE INDEX gallery_by_maker ON gallery (user_id, team, id, scene, aspect_ratio, model, created_at);

CREATE INDEX gallery_by_scene ON gallery (scene, team, id, user_id, aspect_ratio, model, created_at);

CREATE INDEX gallery_by_ratio ON gallery (aspect_ratio, team, id, user_id, scene, model, created_at);

CREATE INDEX gallery_by_model ON gallery (model, team, id, user_id, scene, aspect_ratio, created_at);

CREATE INDEX gallery_by_state ON gallery (user_id, state, id, scene, aspect_ratio, model, starred, created_at) WHERE team = 0;

CREATE TABLE services (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  address  TEXT NOT NULL UNIQUE,       -- without credentials
  practice INTEGER NOT NULL DEFAULT 0, -- 1: the embedded one, whose credits are not real
  current  INTEGER NOT NULL DEFAULT 0, -- 1: new videos are sent to it
  held     INTEGER NOT NULL DEFAULT 0, -- 1: it came from a backup, and is not called until an admin has confirmed it
  used_at  INTEGER NOT NULL            -- when it became the current one last
) STRICT;

CREATE UNIQUE INDEX service_current ON services (current) WHERE current = 1;

CREATE TABLE keys (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id     INTEGER UNIQUE REFERENCES users (id),
  kept_for    INTEGER REFERENCES users (id),
  owner       INTEGER NOT NULL AS (coalesce(user_id, kept_for)),
  service_id  INTEGER NOT NULL DEFAULT 1 REFERENCES services (id),
  sealed      BLOB NOT NULL,
  last_four   TEXT NOT NULL,
  fingerprint BLOB,
  created_at  INTEGER NOT NULL,
  checked_at  INTEGER,
  accepted    INTEGER NOT NULL,
  CHECK ((user_id IS NULL) <> (kept_for IS NULL)),
  UNIQUE (kept_for, service_id)
) STRICT;

CREATE TRIGGER version_key_add AFTER INSERT ON keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_key_change AFTER UPDATE OF user_id, fingerprint, last_four ON keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_key_remove AFTER DELETE ON keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE UNIQUE INDEX team_key_names ON team_keys (service_id, lower(name)) WHERE deleted_at IS NULL;

CREATE UNIQUE INDEX team_key_standard ON team_keys (service_id) WHERE standard = 1;

CREATE VIEW keys_in_use (user_id, team_key_id, sealed, last_four, fingerprint, created_at, checked_at, accepted, service_id) AS
SELECT u.id, CASE WHEN k.user_id IS NULL THEN t.id ELSE 0 END,
  coalesce(k.sealed, t.sealed), CASE WHEN k.user_id IS NULL THEN t.last_four ELSE k.last_four END,
  CASE WHEN k.user_id IS NULL THEN t.fingerprint ELSE k.fingerprint END, coalesce(k.created_at, t.created_at),
  CASE WHEN k.user_id IS NULL THEN t.checked_at ELSE k.checked_at END, coalesce(k.accepted, t.accepted), s.id
FROM services s
JOIN users u ON true
LEFT JOIN keys k ON k.user_id = u.id AND k.service_id = s.id AND NOT EXISTS (SELECT 1 FROM settings WHERE name = 'own keys' AND value = 'forbidden')
LEFT JOIN team_keys t ON k.user_id IS NULL AND t.deleted_at IS NULL
  AND t.id = coalesce((SELECT id FROM team_keys WHERE id = u.team_key_id AND service_id = s.id), (SELECT id FROM team_keys WHERE service_id = s.id AND standard = 1))
WHERE s.current = 1 AND u.deactivated_at IS NULL AND (k.user_id IS NOT NULL OR t.id IS NOT NULL);

CREATE TRIGGER version_user_add_name AFTER INSERT ON users BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_user_change_name AFTER UPDATE OF id, name ON users WHEN (old.id, old.name) IS NOT (new.id, new.name) BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_user_remove_name AFTER DELETE ON users BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_tag_add_name AFTER INSERT ON tags BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_tag_change_name AFTER UPDATE OF id, name ON tags WHEN (old.id, old.name) IS NOT (new.id, new.name) BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TRIGGER version_tag_remove_name AFTER DELETE ON tags BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

CREATE TABLE usage (
  user_id    INTEGER NOT NULL,
  day        INTEGER NOT NULL,
  model      TEXT NOT NULL,
  outcome    TEXT NOT NULL,
  key_id     INTEGER NOT NULL, -- of the team; 0 for people's own
  service_id INTEGER NOT NULL,
  tasks      INTEGER NOT NULL,
  paid       INTEGER NOT NULL, -- thousandths
  refunded   INTEGER NOT NULL,
  PRIMARY KEY (user_id, day, model, outcome, key_id, service_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_day ON usage (day, user_id, model, outcome, key_id, service_id, tasks, paid, refunded);

CREATE TABLE usage_months (
  month      INTEGER NOT NULL,
  user_id    INTEGER NOT NULL,
  model      TEXT NOT NULL,
  outcome    TEXT NOT NULL,
  key_id     INTEGER NOT NULL,
  service_id INTEGER NOT NULL,
  tasks      INTEGER NOT NULL,
  paid       INTEGER NOT NULL, -- thousandths
  refunded   INTEGER NOT NULL,
  PRIMARY KEY (month, user_id, model, outcome, key_id, service_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE spent (
  month      INTEGER NOT NULL,
  user_id    INTEGER NOT NULL,
  service_id INTEGER NOT NULL,
  counted    INTEGER NOT NULL,
  PRIMARY KEY (month, user_id, service_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER usage_add AFTER INSERT ON tasks BEGIN
  INSERT INTO usage (user_id, day, model, outcome, key_id, service_id, tasks, paid, refunded)
  VALUES (new.payer, new.day, new.model, new.outcome, new.key_id, new.service_id, 1, new.paid, new.refunded)
  ON CONFLICT DO UPDATE SET tasks = tasks + 1, paid = paid + excluded.paid, refunded = refunded + excluded.refunded;
END;

CREATE TRIGGER usage_remove AFTER DELETE ON tasks BEGIN
  UPDATE usage SET tasks = tasks - 1, paid = paid - old.paid, refunded = refunded - old.refunded
  WHERE user_id = old.payer AND day = old.day AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND service_id = old.service_id;
  DELETE FROM usage
  WHERE user_id = old.payer AND day = old.day AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND service_id = old.service_id AND tasks = 0;
END;

CREATE TRIGGER usage_change AFTER UPDATE OF user_id, payer_id, day, model, state, charged, returned, key_id, service_id ON tasks
WHEN old.outcome <> new.outcome OR old.paid <> new.paid OR old.refunded <> new.refunded OR old.day <> new.day
  OR old.model <> new.model OR old.payer <> new.payer OR old.key_id <> new.key_id OR old.service_id <> new.service_id BEGIN
  UPDATE usage SET tasks = tasks - 1, paid = paid - old.paid, refunded = refunded - old.refunded
  WHERE user_id = old.payer AND day = old.day AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND service_id = old.service_id;
  INSERT INTO usage (user_id, day, model, outcome, key_id, service_id, tasks, paid, refunded)
  VALUES (new.payer, new.day, new.model, new.outcome, new.key_id, new.service_id, 1, new.paid, new.refunded)
  ON CONFLICT DO UPDATE SET tasks = tasks + 1, paid = paid + excluded.paid, refunded = refunded + excluded.refunded;
  DELETE FROM usage
  WHERE user_id = old.payer AND day = old.day AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND service_id = old.service_id AND tasks = 0;
END;

CREATE TRIGGER usage_month_add AFTER INSERT ON usage BEGIN
  INSERT INTO usage_months (month, user_id, model, outcome, key_id, service_id, tasks, paid, refunded)
  VALUES (CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER), new.user_id, new.model, new.outcome, new.key_id, new.service_id, new.tasks, new.paid, new.refunded)
  ON CONFLICT DO UPDATE SET tasks = tasks + excluded.tasks, paid = paid + excluded.paid, refunded = refunded + excluded.refunded;
END;

CREATE TRIGGER usage_month_change AFTER UPDATE ON usage BEGIN
  UPDATE usage_months SET tasks = tasks + new.tasks - old.tasks, paid = paid + new.paid - old.paid, refunded = refunded + new.refunded - old.refunded
  WHERE month = CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER) AND user_id = new.user_id
    AND model = new.model AND outcome = new.outcome AND key_id = new.key_id AND service_id = new.service_id;
END;

CREATE TRIGGER usage_month_remove AFTER DELETE ON usage BEGIN
  UPDATE usage_months SET tasks = tasks - old.tasks, paid = paid - old.paid, refunded = refunded - old.refunded
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.user_id
    AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND service_id = old.service_id;
  DELETE FROM usage_months
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.user_id
    AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND service_id = old.service_id AND tasks = 0;
END;

CREATE INDEX tasks_price ON tasks (service_id, model, scene, duration, resolution, audio, id, charged) WHERE charged IS NOT NULL;

CREATE TRIGGER version_service AFTER UPDATE OF current, held ON services WHEN (old.current, old.held) <> (new.current, new.held) BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', 0), ('usual', 0) ON CONFLICT DO NOTHING;
  UPDATE versions SET stamp = abs(random() % 1000000000000000);
END;

CREATE TABLE guests (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  share_id   INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  token      BLOB NOT NULL UNIQUE, -- SHA-256
  name       TEXT NOT NULL,
  name_key   TEXT NOT NULL,
  number     INTEGER NOT NULL, -- among those of the link who gave the same name
  created_at INTEGER NOT NULL, mail_id INTEGER REFERENCES guest_mails (id) ON DELETE SET NULL, source BLOB NOT NULL DEFAULT x'',
  UNIQUE (share_id, name_key, number)
) STRICT;

CREATE TABLE notes (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id    INTEGER NOT NULL REFERENCES tasks (id),
  parent_id  INTEGER REFERENCES notes (id) ON DELETE CASCADE, -- the note that it replies to
  share_id   INTEGER NOT NULL, -- the link on whose page it was written, even if it is gone; 0 for the page of the video
  user_id    INTEGER REFERENCES users (id),
  guest_id   INTEGER REFERENCES guests (id) ON DELETE SET NULL,
  at         INTEGER NOT NULL, -- milliseconds
  until      INTEGER NOT NULL, -- milliseconds; 0 for a moment
  frame      INTEGER NOT NULL, -- -1 if it is not known
  body       TEXT NOT NULL,
  mark       TEXT NOT NULL,    -- JSON; empty for none
  internal   INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  changed_at INTEGER,
  done_at    INTEGER
, answer TEXT NOT NULL DEFAULT '' CHECK (answer IN ('', 'approved', 'changes')), deleted_at INTEGER) STRICT;

CREATE INDEX notes_of_task ON notes (task_id, at, id);

CREATE INDEX notes_of_parent ON notes (parent_id) WHERE parent_id IS NOT NULL;

CREATE INDEX notes_of_guest ON notes (guest_id) WHERE guest_id IS NOT NULL;

CREATE INDEX notes_open ON notes (id) WHERE parent_id IS NULL AND done_at IS NULL;

CREATE INDEX notes_done ON notes (id) WHERE parent_id IS NULL AND done_at IS NOT NULL;

CREATE TABLE verdicts (
  task_id    INTEGER NOT NULL REFERENCES tasks (id),
  guest_id   INTEGER NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
  answer     TEXT NOT NULL CHECK (answer IN ('approved', 'changes')),
  body       TEXT NOT NULL,
  changed_at INTEGER NOT NULL, note_id INTEGER REFERENCES notes (id) ON DELETE CASCADE,
  PRIMARY KEY (task_id, guest_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX verdicts_by_answer ON verdicts (answer, task_id);

CREATE INDEX verdicts_of_guest ON verdicts (guest_id);

CREATE TABLE news (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  task_id    INTEGER NOT NULL REFERENCES tasks (id),
  note_id    INTEGER REFERENCES notes (id) ON DELETE CASCADE,
  guest_id   INTEGER REFERENCES guests (id) ON DELETE CASCADE, -- who has answered
  created_at INTEGER NOT NULL,
  CHECK ((note_id IS NULL) <> (guest_id IS NULL))
) STRICT;

CREATE INDEX news_of_user ON news (user_id, task_id);

CREATE INDEX news_of_task ON news (task_id);

CREATE UNIQUE INDEX news_of_note ON news (note_id, user_id) WHERE note_id IS NOT NULL;

CREATE UNIQUE INDEX news_of_guest ON news (guest_id, task_id, user_id) WHERE guest_id IS NOT NULL;

CREATE INDEX shares_deciding ON shares (expires_at) WHERE may = 'decide' AND revoked_at IS NULL;

CREATE TABLE cast_members (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  handle     TEXT NOT NULL,
  fold       TEXT NOT NULL, -- as cast.Fold has it
  name       TEXT NOT NULL,
  kind       TEXT NOT NULL,
  look       TEXT NOT NULL,
  pictures   TEXT NOT NULL, -- JSON: their addresses
  consent_by TEXT NOT NULL, -- empty for none
  consent_on INTEGER,       -- midnight UTC of a date
  noted_by   INTEGER REFERENCES users (id),
  version    INTEGER NOT NULL,
  created_by INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  changed_by INTEGER NOT NULL REFERENCES users (id),
  changed_at INTEGER NOT NULL,
  deleted_at INTEGER,
  deleted_by INTEGER REFERENCES users (id)
) STRICT;

CREATE UNIQUE INDEX cast_handles ON cast_members (fold) WHERE deleted_at IS NULL;

CREATE TABLE task_cast (
  task_id   INTEGER NOT NULL REFERENCES tasks (id),
  member_id INTEGER NOT NULL,
  place     INTEGER NOT NULL, -- in the order in which the prompt names them, from 0
  handle    TEXT NOT NULL,
  name      TEXT NOT NULL,
  kind      TEXT NOT NULL,
  look      TEXT NOT NULL,
  pictures  TEXT NOT NULL, -- JSON: the addresses of all its pictures
  sent      TEXT NOT NULL, -- JSON: which of the pictures of the task are of this member, from 0
  PRIMARY KEY (task_id, member_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX tasks_of_member ON task_cast (member_id, task_id);

CREATE INDEX tokens_of_member ON picture_tokens (member_id) WHERE member_id IS NOT NULL;

CREATE INDEX tasks_of_stack ON tasks (stack) WHERE stack IS NOT NULL;

CREATE TABLE shared_takes (
  share_id INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  task_id  INTEGER NOT NULL REFERENCES tasks (id),
  shown_at INTEGER NOT NULL,
  PRIMARY KEY (share_id, task_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX shared_takes_of_task ON shared_takes (task_id);

CREATE TABLE note_takes (
  note_id INTEGER NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
  task_id INTEGER NOT NULL REFERENCES tasks (id),
  PRIMARY KEY (note_id, task_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX note_takes_of_task ON note_takes (task_id);

CREATE TABLE guest_mails (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  share_id     INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  address      TEXT NOT NULL,
  address_key  TEXT NOT NULL, -- under which addresses are compared
  created_at   INTEGER NOT NULL,
  confirmed_at INTEGER,
  stopped_at   INTEGER, -- no mails since then
  UNIQUE (share_id, address_key)
) STRICT;

CREATE INDEX guests_of_mail ON guests (mail_id) WHERE mail_id IS NOT NULL;

CREATE INDEX mails_to_address ON mails (address_key, created_at) WHERE address_key <> '';

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
, uncapped INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX programs_of_user ON programs (user_id, id);

CREATE INDEX programs_by_end ON programs (coalesce(ended_at, ends_at));

CREATE TABLE program_tasks (
  program_id INTEGER NOT NULL,
  month      INTEGER NOT NULL,
  task_id    INTEGER NOT NULL UNIQUE REFERENCES tasks (id), any_price INTEGER NOT NULL DEFAULT 0, expected INTEGER,
  PRIMARY KEY (program_id, month, task_id)
) STRICT, WITHOUT ROWID;

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
, made_by INTEGER REFERENCES users (id), held INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE webhook_secrets (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  sealed     BLOB NOT NULL,
  until      INTEGER -- of one that was replaced; NULL is the present one
) STRICT;

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

CREATE INDEX media_unread_films ON media (film_due) WHERE kind = 'video' AND film = '{}' AND lost_at IS NULL;

CREATE TRIGGER film_replaced AFTER UPDATE OF hash ON media WHEN new.kind = 'video' AND new.hash <> old.hash AND new.film = old.film BEGIN
  UPDATE media SET film = '{}', film_due = 0 WHERE id = new.id;
END;

CREATE INDEX tasks_queued_of_service ON tasks (service_id, user_id, bulk, id, next_at, leased_until) WHERE state = 'queued';

CREATE INDEX tasks_unbegun ON tasks (user_id, state, id) WHERE state IN ('queued', 'sending', 'pending');

CREATE INDEX tasks_usual ON tasks (service_id, model, scene, duration, resolution, done_at, making_at) WHERE state = 'success' AND making_at IS NOT NULL;

CREATE INDEX tasks_ended ON tasks (service_id, done_at, key_id) WHERE making_at IS NOT NULL AND done_at IS NOT NULL;

CREATE INDEX tasks_dearest ON tasks (service_id, charged) WHERE charged IS NOT NULL;

CREATE INDEX tasks_unpriced ON tasks (service_id, id) WHERE quoted IS NULL AND charged IS NULL AND state IN ('pending', 'processing', 'unconfirmed');

CREATE UNIQUE INDEX verdicts_of_note ON verdicts (note_id);

CREATE INDEX webhooks_held ON webhooks (id) WHERE held = 1;

CREATE INDEX webhooks_made_by ON webhooks (made_by) WHERE user_id IS NULL;

CREATE TRIGGER spent_add AFTER INSERT ON tasks WHEN new.counted <> 0 BEGIN
  INSERT INTO spent (month, user_id, service_id, counted)
  VALUES (CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER), new.payer, new.service_id, new.counted)
  ON CONFLICT DO UPDATE SET counted = counted + excluded.counted;
END;

CREATE TRIGGER spent_remove AFTER DELETE ON tasks WHEN old.counted <> 0 BEGIN
  UPDATE spent SET counted = counted - old.counted
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.payer AND service_id = old.service_id;
END;

CREATE TRIGGER spent_change AFTER UPDATE OF user_id, payer_id, day, state, status, blame, charged, returned, decided_at, held, service_id ON tasks
WHEN old.counted <> new.counted OR old.day <> new.day OR old.payer <> new.payer OR old.service_id <> new.service_id BEGIN
  UPDATE spent SET counted = counted - old.counted
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.payer AND service_id = old.service_id;
  INSERT INTO spent (month, user_id, service_id, counted)
  SELECT CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER), new.payer, new.service_id, new.counted WHERE new.counted <> 0
  ON CONFLICT DO UPDATE SET counted = counted + excluded.counted;
END;

CREATE INDEX tasks_unnamed ON tasks (service_id, day) WHERE quoted IS NULL AND charged IS NULL AND state IN ('success', 'canceled', 'failed');

CREATE TABLE kind_counts (
  scene        TEXT NOT NULL,
  model        TEXT NOT NULL,
  aspect_ratio TEXT NOT NULL,
  part         INTEGER NOT NULL,
  videos       INTEGER NOT NULL,
  PRIMARY KEY (scene, model, aspect_ratio, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE maker_counts (
  user_id INTEGER PRIMARY KEY,
  videos  INTEGER NOT NULL
) STRICT;

CREATE TABLE tag_counts (
  tag_id INTEGER PRIMARY KEY,
  videos INTEGER NOT NULL
) STRICT;

CREATE TABLE cast_counts (
  member_id INTEGER PRIMARY KEY,
  videos    INTEGER NOT NULL
) STRICT;

CREATE TRIGGER menu_shown AFTER INSERT ON gallery WHEN new.team = 1 BEGIN
  INSERT INTO kind_counts (scene, model, aspect_ratio, part, videos) VALUES (new.scene, new.model, new.aspect_ratio, 0, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO maker_counts (user_id, videos) VALUES (new.user_id, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO tag_counts (tag_id, videos) SELECT tag_id, 1 FROM task_tags WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO cast_counts (member_id, videos) SELECT member_id, 1 FROM task_cast WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;

CREATE TRIGGER menu_hidden AFTER DELETE ON gallery WHEN old.team = 1 BEGIN
  UPDATE kind_counts SET videos = videos - 1
  WHERE scene = old.scene AND model = old.model AND aspect_ratio = old.aspect_ratio AND part = 0;
  UPDATE maker_counts SET videos = videos - 1 WHERE user_id = old.user_id;
  UPDATE tag_counts SET videos = videos - 1 WHERE tag_id IN (SELECT tag_id FROM task_tags WHERE task_id = old.id);
  UPDATE cast_counts SET videos = videos - 1 WHERE member_id IN (SELECT member_id FROM task_cast WHERE task_id = old.id);
END;

CREATE TRIGGER menu_change_shown AFTER UPDATE OF team ON gallery WHEN old.team <> 1 AND new.team = 1 BEGIN
  INSERT INTO kind_counts (scene, model, aspect_ratio, part, videos) VALUES (new.scene, new.model, new.aspect_ratio, 0, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO maker_counts (user_id, videos) VALUES (new.user_id, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO tag_counts (tag_id, videos) SELECT tag_id, 1 FROM task_tags WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO cast_counts (member_id, videos) SELECT member_id, 1 FROM task_cast WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;

CREATE TRIGGER menu_change_hidden AFTER UPDATE OF team ON gallery WHEN old.team = 1 AND new.team <> 1 BEGIN
  UPDATE kind_counts SET videos = videos - 1
  WHERE scene = old.scene AND model = old.model AND aspect_ratio = old.aspect_ratio AND part = 0;
  UPDATE maker_counts SET videos = videos - 1 WHERE user_id = old.user_id;
  UPDATE tag_counts SET videos = videos - 1 WHERE tag_id IN (SELECT tag_id FROM task_tags WHERE task_id = new.id);
  UPDATE cast_counts SET videos = videos - 1 WHERE member_id IN (SELECT member_id FROM task_cast WHERE task_id = new.id);
END;

CREATE TRIGGER menu_edit AFTER UPDATE OF user_id, scene, model, aspect_ratio ON gallery
WHEN old.team = 1 AND new.team = 1 AND (old.user_id <> new.user_id OR old.scene <> new.scene
  OR old.model <> new.model OR old.aspect_ratio <> new.aspect_ratio) BEGIN
  UPDATE kind_counts SET videos = videos - 1
  WHERE scene = old.scene AND model = old.model AND aspect_ratio = old.aspect_ratio AND part = 0;
  INSERT INTO kind_counts (scene, model, aspect_ratio, part, videos) VALUES (new.scene, new.model, new.aspect_ratio, 0, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  UPDATE maker_counts SET videos = videos - 1 WHERE user_id = old.user_id;
  INSERT INTO maker_counts (user_id, videos) VALUES (new.user_id, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;

CREATE TRIGGER menu_tag_add AFTER INSERT ON task_tags WHEN (SELECT team FROM gallery WHERE id = new.task_id) = 1 BEGIN
  INSERT INTO tag_counts (tag_id, videos) VALUES (new.tag_id, 1) ON CONFLICT DO UPDATE SET videos = videos + 1;
END;

CREATE TRIGGER menu_tag_remove AFTER DELETE ON task_tags WHEN (SELECT team FROM gallery WHERE id = old.task_id) = 1 BEGIN
  UPDATE tag_counts SET videos = videos - 1 WHERE tag_id = old.tag_id;
END;

CREATE TRIGGER menu_tag_gone AFTER DELETE ON tags BEGIN
  DELETE FROM tag_counts WHERE tag_id = old.id;
END;

CREATE TRIGGER menu_cast_add AFTER INSERT ON task_cast WHEN (SELECT team FROM gallery WHERE id = new.task_id) = 1 BEGIN
  INSERT INTO cast_counts (member_id, videos) VALUES (new.member_id, 1) ON CONFLICT DO UPDATE SET videos = videos + 1;
END;

CREATE TRIGGER menu_cast_remove AFTER DELETE ON task_cast WHEN (SELECT team FROM gallery WHERE id = old.task_id) = 1 BEGIN
  UPDATE cast_counts SET videos = videos - 1 WHERE member_id = old.member_id;
END;

CREATE TABLE day_counts (
  day    INTEGER NOT NULL, -- in UTC, since 1970
  part   INTEGER NOT NULL,
  videos INTEGER NOT NULL,
  PRIMARY KEY (day, part)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER day_shown AFTER INSERT ON gallery WHEN new.team = 1 BEGIN
  INSERT INTO day_counts (day, part, videos) VALUES (new.created_at / 86400000, 0, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;

CREATE TRIGGER day_hidden AFTER DELETE ON gallery WHEN old.team = 1 BEGIN
  UPDATE day_counts SET videos = videos - 1 WHERE day = old.created_at / 86400000;
END;

CREATE TRIGGER day_change AFTER UPDATE OF team, created_at ON gallery
WHEN (old.team = 1 OR new.team = 1) AND (old.team <> new.team OR old.created_at / 86400000 <> new.created_at / 86400000) BEGIN
  UPDATE day_counts SET videos = videos - 1 WHERE old.team = 1 AND day = old.created_at / 86400000;
  INSERT INTO day_counts (day, part, videos) SELECT new.created_at / 86400000, 0, 1 WHERE new.team = 1
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;

INSERT INTO kept_bytes (part, bytes) VALUES (0, 0);

INSERT INTO services (id, address, practice, current, held, used_at) VALUES (1, '', 0, 1, 0, 0);
