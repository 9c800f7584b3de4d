-- The people, products, places and styles that the team's videos show again and again.
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

-- The cast members that a video was made with, as they were then. The member may be gone.
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

-- The prompt in the words that the service gets, if they are not those that were typed.
ALTER TABLE tasks ADD COLUMN sent_prompt TEXT NOT NULL DEFAULT '';

-- The cast member that an address was made for, and when it ceased to be public.
ALTER TABLE picture_tokens ADD COLUMN member_id INTEGER;
ALTER TABLE picture_tokens ADD COLUMN ended_at INTEGER;
CREATE INDEX tokens_of_member ON picture_tokens (member_id) WHERE member_id IS NOT NULL;
