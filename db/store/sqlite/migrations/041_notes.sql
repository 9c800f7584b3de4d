-- People without an account who have given a name on the page of a link. A cookie for that
-- link alone remembers each of them.
CREATE TABLE guests (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  share_id   INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  token      BLOB NOT NULL UNIQUE, -- SHA-256
  name       TEXT NOT NULL,
  name_key   TEXT NOT NULL,
  number     INTEGER NOT NULL, -- among those of the link who gave the same name
  created_at INTEGER NOT NULL,
  UNIQUE (share_id, name_key, number)
) STRICT;

-- What people say about a moment of a video. Without a person and a guest, it is that of a
-- guest whose link is gone.
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
) STRICT;
CREATE INDEX notes_of_task ON notes (task_id, at, id);
CREATE INDEX notes_of_parent ON notes (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX notes_of_guest ON notes (guest_id) WHERE guest_id IS NOT NULL;
CREATE INDEX notes_open ON notes (id) WHERE parent_id IS NULL AND done_at IS NULL;
CREATE INDEX notes_done ON notes (id) WHERE parent_id IS NULL AND done_at IS NOT NULL;

-- What guests decide about a video: one answer each, which counts for this take alone.
CREATE TABLE verdicts (
  task_id    INTEGER NOT NULL REFERENCES tasks (id),
  guest_id   INTEGER NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
  answer     TEXT NOT NULL CHECK (answer IN ('approved', 'changes')),
  body       TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (task_id, guest_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX verdicts_by_answer ON verdicts (answer, task_id);
CREATE INDEX verdicts_of_guest ON verdicts (guest_id);

-- The notes, and the answers of guests, that a person has not seen yet.
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

-- Whether any link lets guests decide is asked for every page of the gallery.
CREATE INDEX shares_deciding ON shares (expires_at) WHERE may = 'decide' AND revoked_at IS NULL;
