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

CREATE TABLE tags (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  name       TEXT NOT NULL,
  name_key   TEXT NOT NULL UNIQUE, -- as db.TagKey has it
  uses       INTEGER NOT NULL DEFAULT 0, -- tasks that have it, kept by the triggers below
  created_by INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX tags_used ON tags (uses DESC, id);

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

-- The facets again, with the new filters. Each begins with a private character
-- that no typed word can hold: u maker, s state, c scene, m model, r ratio,
-- f starred, v the whole team sees it, x its maker alone sees it though it is
-- finished, b in the bin, t tag, k collection. What is in the bin has nothing
-- but b, so that no filter has to leave it out.
DROP TRIGGER search_add;
DROP TRIGGER search_change;
DROP TRIGGER search_remove;
DROP TABLE search;
ALTER TABLE tasks DROP COLUMN facets;
ALTER TABLE tasks ADD COLUMN facets TEXT AS (
  CASE
    WHEN purged_at IS NOT NULL THEN ''
    WHEN deleted_at IS NOT NULL THEN
      char(57344) || 'b' || user_id || iif(private OR state <> 'success', '', ' ' || char(57344) || 'b')
    ELSE
      char(57344) || 'u' || user_id || ' ' || char(57344) || 's' || hex(state) || ' ' ||
      char(57344) || 'c' || hex(scene) || ' ' || char(57344) || 'm' || hex(model) || ' ' ||
      char(57344) || 'r' || hex(coalesce(options ->> '$.aspect_ratio', '')) ||
      iif(starred, ' ' || char(57344) || 'f', '') ||
      iif(state <> 'success', '', iif(private, ' ' || char(57344) || 'x' || user_id, ' ' || char(57344) || 'v')) ||
      labels
  END);
ALTER TABLE tasks ADD COLUMN searched TEXT AS (coalesce(words, prompt));

CREATE VIRTUAL TABLE search USING fts5 (
  searched, facets,
  content = 'tasks', content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3 4 5 6 7 8'
);
INSERT INTO search (rowid, searched, facets) SELECT id, searched, facets FROM tasks ORDER BY id;

CREATE TRIGGER search_add AFTER INSERT ON tasks BEGIN
  INSERT INTO search (rowid, searched, facets) VALUES (new.id, new.searched, new.facets);
END;
CREATE TRIGGER search_change AFTER UPDATE ON tasks
WHEN old.searched IS NOT new.searched OR old.facets IS NOT new.facets BEGIN
  INSERT INTO search (search, rowid, searched, facets) VALUES ('delete', old.id, old.searched, old.facets);
  INSERT INTO search (rowid, searched, facets) VALUES (new.id, new.searched, new.facets);
END;
CREATE TRIGGER search_remove AFTER DELETE ON tasks BEGIN
  INSERT INTO search (search, rowid, searched, facets) VALUES ('delete', old.id, old.searched, old.facets);
END;

-- A task's labels follow its tags and collections.
CREATE VIEW task_labels (task_id, labels) AS
SELECT tasks.id, coalesce((
  SELECT group_concat(label, '') FROM (
    SELECT ' ' || char(57344) || 't' || hex(tags.name_key) AS label
    FROM task_tags JOIN tags ON tags.id = task_tags.tag_id WHERE task_tags.task_id = tasks.id
    UNION ALL
    SELECT ' ' || char(57344) || 'k' || collection_id
    FROM collection_tasks WHERE collection_tasks.task_id = tasks.id)), '')
FROM tasks;
CREATE TRIGGER tag_add AFTER INSERT ON task_tags BEGIN
  UPDATE tags SET uses = uses + 1 WHERE id = new.tag_id;
  UPDATE tasks SET labels = (SELECT labels FROM task_labels WHERE task_id = new.task_id) WHERE id = new.task_id;
END;
CREATE TRIGGER tag_remove AFTER DELETE ON task_tags BEGIN
  UPDATE tags SET uses = uses - 1 WHERE id = old.tag_id;
  UPDATE tasks SET labels = (SELECT labels FROM task_labels WHERE task_id = old.task_id) WHERE id = old.task_id;
END;
CREATE TRIGGER collection_add AFTER INSERT ON collection_tasks BEGIN
  UPDATE tasks SET labels = (SELECT labels FROM task_labels WHERE task_id = new.task_id) WHERE id = new.task_id;
END;
CREATE TRIGGER collection_remove AFTER DELETE ON collection_tasks BEGIN
  UPDATE tasks SET labels = (SELECT labels FROM task_labels WHERE task_id = old.task_id) WHERE id = old.task_id;
END;
