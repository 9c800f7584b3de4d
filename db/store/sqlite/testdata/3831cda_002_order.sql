-- Stars, tags, collections, the bin, lineage, share links and recipes.

-- A setup that the team uses again: a prompt with blanks, a model that stays,
-- and what it may cost.
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
  ceiling    REAL,          -- credits for one video; NULL is none
  task_id    INTEGER REFERENCES tasks (id), -- it was saved from
  created_by INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;

-- Labels are facets of tags and collections, kept by the triggers below.
ALTER TABLE tasks ADD COLUMN starred INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN deleted_at INTEGER;
ALTER TABLE tasks ADD COLUMN deleted_by INTEGER REFERENCES users (id);
ALTER TABLE tasks ADD COLUMN purged_at INTEGER;
ALTER TABLE tasks ADD COLUMN parent_id INTEGER REFERENCES tasks (id);
ALTER TABLE tasks ADD COLUMN bond TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN batch TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN recipe_id INTEGER REFERENCES recipes (id);
ALTER TABLE tasks ADD COLUMN labels TEXT NOT NULL DEFAULT '';
ALTER TABLE tasks ADD COLUMN words TEXT; -- what is searched, where it is not the prompt as it stands

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
) STRICT;
CREATE UNIQUE INDEX collection_names ON collections (lower(name));

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

-- What somebody without an account may see. The token is kept as it is, not
-- its hash, because its maker copies the link again; what it opens lies in the
-- same data folder.
CREATE TABLE shares (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  token         TEXT NOT NULL UNIQUE,
  task_id       INTEGER REFERENCES tasks (id),
  collection_id INTEGER REFERENCES collections (id) ON DELETE CASCADE,
  title         TEXT NOT NULL,
  created_by    INTEGER NOT NULL REFERENCES users (id),
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  revoked_at    INTEGER,
  CHECK ((task_id IS NULL) <> (collection_id IS NULL))
) STRICT;
CREATE INDEX shares_of_task ON shares (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX shares_of_collection ON shares (collection_id) WHERE collection_id IS NOT NULL;
CREATE INDEX shares_of_user ON shares (created_by, id);

-- Files in the media folder to which nothing refers since a purge, and that
-- still have to be removed.
CREATE TABLE leftovers (
  hash TEXT PRIMARY KEY,
  at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX media_of_hash ON media (hash);
CREATE INDEX pictures_of_hash ON pictures (hash);
