-- How a team governs itself: its people, their keys, what they may spend, and who
-- changed what.

ALTER TABLE users ADD COLUMN seen_at INTEGER;        -- when a browser of theirs last asked for something
ALTER TABLE users ADD COLUMN deactivated_at INTEGER; -- NULL: they may sign in
UPDATE users SET seen_at = (SELECT max(seen_at) FROM sessions WHERE user_id = users.id);

ALTER TABLE invites ADD COLUMN role TEXT NOT NULL DEFAULT 'member';
ALTER TABLE invites ADD COLUMN email TEXT NOT NULL DEFAULT ''; -- the only address that may join with it; empty for any
ALTER TABLE invites ADD COLUMN allowance TEXT NOT NULL DEFAULT 'default'; -- as in purses
ALTER TABLE invites ADD COLUMN credits INTEGER NOT NULL DEFAULT 0;

-- Keys of the team. A sealed one opens with the id as db.Key.Owner has it.
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
) STRICT;
CREATE UNIQUE INDEX team_key_names ON team_keys (lower(name)) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX team_key_standard ON team_keys (standard) WHERE standard = 1;
ALTER TABLE users ADD COLUMN team_key_id INTEGER REFERENCES team_keys (id); -- NULL: the standard one

-- The key that each person's next video is sent with: their own, where the team
-- lets them, or else the one that they were given, or else the standard one. A closed
-- account has none.
CREATE VIEW keys_in_use (user_id, team_key_id, sealed, last_four, fingerprint, created_at, checked_at, accepted) AS
SELECT u.id, CASE WHEN k.user_id IS NULL THEN t.id ELSE 0 END,
  coalesce(k.sealed, t.sealed), CASE WHEN k.user_id IS NULL THEN t.last_four ELSE k.last_four END,
  CASE WHEN k.user_id IS NULL THEN t.fingerprint ELSE k.fingerprint END, coalesce(k.created_at, t.created_at),
  CASE WHEN k.user_id IS NULL THEN t.checked_at ELSE k.checked_at END, coalesce(k.accepted, t.accepted)
FROM users u
LEFT JOIN keys k ON k.user_id = u.id AND NOT EXISTS (SELECT 1 FROM settings WHERE name = 'own keys' AND value = 'forbidden')
LEFT JOIN team_keys t ON k.user_id IS NULL AND t.deleted_at IS NULL
  AND t.id = coalesce(u.team_key_id, (SELECT id FROM team_keys WHERE standard = 1))
WHERE u.deactivated_at IS NULL AND (k.user_id IS NOT NULL OR t.id IS NOT NULL);

-- Who paid for a task whose maker has left it to somebody else; NULL is its maker.
ALTER TABLE tasks ADD COLUMN payer_id INTEGER REFERENCES users (id);
ALTER TABLE tasks ADD COLUMN payer INTEGER NOT NULL AS (coalesce(payer_id, user_id));

-- The key of the team with which a task was sent; 0 for its payer's own, and for
-- one that was not sent.
ALTER TABLE tasks ADD COLUMN key_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE task_keys ADD COLUMN team_key_id INTEGER NOT NULL DEFAULT 0;

-- What the limits count of a task, in thousandths: what was paid without what came
-- back; before that is known, what was held for it when the button was pressed.
ALTER TABLE tasks ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN counted INTEGER NOT NULL AS (
  CASE WHEN charged IS NOT NULL THEN charged - coalesce(returned, 0)
    WHEN state IN ('queued', 'sending', 'pending', 'processing', 'success') OR (state = 'unconfirmed' AND decided_at IS NULL) THEN held
    ELSE 0 END);
UPDATE tasks SET held = coalesce(quoted, 0) WHERE active = 1;

DROP TRIGGER usage_add;
DROP TRIGGER usage_remove;
DROP TRIGGER usage_change;
ALTER TABLE usage RENAME TO usage_before;
CREATE TABLE usage (
  user_id  INTEGER NOT NULL,
  day      INTEGER NOT NULL,
  model    TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  key_id   INTEGER NOT NULL, -- of the team; 0 for people's own
  tasks    INTEGER NOT NULL,
  paid     INTEGER NOT NULL, -- thousandths
  refunded INTEGER NOT NULL,
  PRIMARY KEY (user_id, day, model, outcome, key_id)
) STRICT, WITHOUT ROWID;
INSERT INTO usage (user_id, day, model, outcome, key_id, tasks, paid, refunded)
SELECT user_id, day, model, outcome, 0, tasks, paid, refunded FROM usage_before;
DROP TABLE usage_before;

-- What the limits count of each person's videos of a month, such as 202611.
CREATE TABLE spent (
  month   INTEGER NOT NULL,
  user_id INTEGER NOT NULL,
  counted INTEGER NOT NULL,
  PRIMARY KEY (month, user_id)
) STRICT, WITHOUT ROWID;
INSERT INTO spent (month, user_id, counted)
SELECT CAST(strftime('%Y%m', day * 86400, 'unixepoch') AS INTEGER) AS month, payer, sum(counted)
FROM tasks GROUP BY month, payer HAVING sum(counted) <> 0;

CREATE TRIGGER usage_add AFTER INSERT ON tasks BEGIN
  INSERT INTO usage (user_id, day, model, outcome, key_id, tasks, paid, refunded)
  VALUES (new.payer, new.day, new.model, new.outcome, new.key_id, 1, new.paid, new.refunded)
  ON CONFLICT DO UPDATE SET tasks = tasks + 1, paid = paid + excluded.paid, refunded = refunded + excluded.refunded;
END;
CREATE TRIGGER usage_remove AFTER DELETE ON tasks BEGIN
  UPDATE usage SET tasks = tasks - 1, paid = paid - old.paid, refunded = refunded - old.refunded
  WHERE user_id = old.payer AND day = old.day AND model = old.model AND outcome = old.outcome AND key_id = old.key_id;
  DELETE FROM usage
  WHERE user_id = old.payer AND day = old.day AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND tasks = 0;
END;
CREATE TRIGGER usage_change AFTER UPDATE OF user_id, payer_id, day, model, state, charged, returned, key_id ON tasks
WHEN old.outcome <> new.outcome OR old.paid <> new.paid OR old.refunded <> new.refunded
  OR old.day <> new.day OR old.model <> new.model OR old.payer <> new.payer OR old.key_id <> new.key_id BEGIN
  UPDATE usage SET tasks = tasks - 1, paid = paid - old.paid, refunded = refunded - old.refunded
  WHERE user_id = old.payer AND day = old.day AND model = old.model AND outcome = old.outcome AND key_id = old.key_id;
  INSERT INTO usage (user_id, day, model, outcome, key_id, tasks, paid, refunded)
  VALUES (new.payer, new.day, new.model, new.outcome, new.key_id, 1, new.paid, new.refunded)
  ON CONFLICT DO UPDATE SET tasks = tasks + 1, paid = paid + excluded.paid, refunded = refunded + excluded.refunded;
  DELETE FROM usage
  WHERE user_id = old.payer AND day = old.day AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND tasks = 0;
END;
CREATE TRIGGER spent_add AFTER INSERT ON tasks WHEN new.counted <> 0 BEGIN
  INSERT INTO spent (month, user_id, counted)
  VALUES (CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER), new.payer, new.counted)
  ON CONFLICT DO UPDATE SET counted = counted + excluded.counted;
END;
CREATE TRIGGER spent_remove AFTER DELETE ON tasks WHEN old.counted <> 0 BEGIN
  UPDATE spent SET counted = counted - old.counted
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.payer;
END;
CREATE TRIGGER spent_change AFTER UPDATE OF user_id, payer_id, day, state, charged, returned, decided_at, held ON tasks
WHEN old.counted <> new.counted OR old.day <> new.day OR old.payer <> new.payer BEGIN
  UPDATE spent SET counted = counted - old.counted
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.payer;
  INSERT INTO spent (month, user_id, counted)
  SELECT CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER), new.payer, new.counted WHERE new.counted <> 0
  ON CONFLICT DO UPDATE SET counted = counted + excluded.counted;
END;

-- What may be spent in a month: user_id 0 is the team. A press changes the row of
-- the person, then that of the team, and so waits for others that do.
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

-- Who asked to spend more, and what became of that.
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
) STRICT;
CREATE UNIQUE INDEX asks_open ON asks (user_id) WHERE answer = '';
CREATE INDEX asks_of_user ON asks (user_id, id);

-- Who changed what. The names stand beside the ids as they were then.
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
