-- Links that were shared, collections.

-- What is deleted here is overwritten too: the tokens in the clear leave the
-- file.
PRAGMA secure_delete = ON;

-- A link is found by the SHA-256 of its token. Its token lies beside it sealed,
-- so that it can be shown again; NULL where it cannot. When this file has run,
-- hashShares puts the hashes in the place of the random bytes.
CREATE TABLE sealed_shares (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  token         BLOB NOT NULL UNIQUE, -- SHA-256
  sealed        BLOB,
  task_id       INTEGER REFERENCES tasks (id),
  collection_id INTEGER REFERENCES collections (id) ON DELETE CASCADE,
  title         TEXT NOT NULL,
  created_by    INTEGER NOT NULL REFERENCES users (id),
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  revoked_at    INTEGER,
  CHECK ((task_id IS NULL) <> (collection_id IS NULL))
) STRICT;
INSERT INTO sealed_shares (id, token, task_id, collection_id, title, created_by, created_at, expires_at, revoked_at)
SELECT id, randomblob(32), task_id, collection_id, title, created_by, created_at, expires_at, revoked_at FROM shares;

-- The tokens of the links that an earlier version made, until SealShares has
-- sealed them. A migration does not know the secret.
CREATE TABLE unsealed_shares (
  share_id INTEGER PRIMARY KEY,
  token    TEXT NOT NULL
) STRICT;
INSERT INTO unsealed_shares (share_id, token) SELECT id, token FROM shares;

DELETE FROM sqlite_sequence WHERE name = 'sealed_shares';
INSERT INTO sqlite_sequence (name, seq) SELECT 'sealed_shares', seq FROM sqlite_sequence WHERE name = 'shares';
DROP TABLE shares;
ALTER TABLE sealed_shares RENAME TO shares;
CREATE INDEX shares_of_task ON shares (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX shares_of_collection ON shares (collection_id) WHERE collection_id IS NOT NULL;
CREATE INDEX shares_of_user ON shares (created_by, id);

-- A deleted collection can be brought back, with its videos and its links.
ALTER TABLE collections ADD COLUMN deleted_at INTEGER;
ALTER TABLE collections ADD COLUMN deleted_by INTEGER REFERENCES users (id);
DROP INDEX collection_names;
CREATE UNIQUE INDEX collection_names ON collections (lower(name)) WHERE deleted_at IS NULL;
DROP VIEW task_labels;
CREATE VIEW task_labels (task_id, labels) AS
SELECT tasks.id, coalesce((
  SELECT group_concat(label, '') FROM (
    SELECT ' t' || hex(tags.name_key) AS label
    FROM task_tags JOIN tags ON tags.id = task_tags.tag_id WHERE task_tags.task_id = tasks.id
    UNION ALL
    SELECT ' k' || collection_id
    FROM collection_tasks JOIN collections ON collections.id = collection_id
    WHERE collection_tasks.task_id = tasks.id AND collections.deleted_at IS NULL)), '')
FROM tasks;
CREATE TRIGGER collection_binned AFTER UPDATE OF deleted_at ON collections
WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
  UPDATE tasks SET labels = (SELECT labels FROM task_labels WHERE task_id = tasks.id)
  WHERE id IN (SELECT task_id FROM collection_tasks WHERE collection_id = new.id);
END;
CREATE INDEX collections_changed ON collections (changed_at) WHERE deleted_at IS NULL;
CREATE INDEX collections_binned ON collections (deleted_by, deleted_at) WHERE deleted_at IS NOT NULL;

-- When a kept file was found to be missing or cut.
ALTER TABLE media ADD COLUMN lost_at INTEGER;

PRAGMA secure_delete = OFF;
