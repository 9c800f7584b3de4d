-- Mails that wait to be sent, and what became of the others. What they say is
-- forgotten when that is known.
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
) STRICT;
CREATE UNIQUE INDEX mails_topic ON mails (topic) WHERE topic <> '' AND next_at IS NOT NULL;
CREATE INDEX mails_due ON mails (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX mails_leased ON mails (leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX mails_over ON mails (created_at) WHERE next_at IS NULL;

-- Of what each person wants to be told by mail, where they have chosen.
CREATE TABLE mail_choices (
  user_id INTEGER NOT NULL REFERENCES users (id),
  notice  TEXT NOT NULL,
  wanted  INTEGER NOT NULL,
  PRIMARY KEY (user_id, notice)
) STRICT, WITHOUT ROWID;
