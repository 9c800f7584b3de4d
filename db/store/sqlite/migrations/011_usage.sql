-- What was spent is kept in totals, which triggers keep beside the tasks.
DROP INDEX tasks_usage;

-- The day on which the task was made, in the team's time zone: days since 1970.
-- At first that zone is UTC.
ALTER TABLE tasks ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
UPDATE tasks SET day = created_at / 86400000;

-- The state as far as the totals tell states apart.
ALTER TABLE tasks ADD COLUMN outcome TEXT NOT NULL AS (
  iif(state IN ('queued', 'sending', 'pending', 'processing'), 'running', state));

-- What the totals add up. A bound keeps them numbers, whatever a service says.
ALTER TABLE tasks ADD COLUMN paid REAL NOT NULL AS (max(-1e12, min(1e12, coalesce(charged, 0))));
ALTER TABLE tasks ADD COLUMN refunded REAL NOT NULL AS (max(-1e12, min(1e12, coalesce(returned, 0))));

CREATE TABLE usage (
  user_id  INTEGER NOT NULL,
  day      INTEGER NOT NULL,
  model    TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  tasks    INTEGER NOT NULL,
  paid     REAL NOT NULL,
  refunded REAL NOT NULL,
  PRIMARY KEY (user_id, day, model, outcome)
) STRICT, WITHOUT ROWID;
INSERT INTO usage (user_id, day, model, outcome, tasks, paid, refunded)
SELECT user_id, day, model, outcome, count(*), total(paid), total(refunded)
FROM tasks GROUP BY user_id, day, model, outcome;

CREATE TRIGGER usage_add AFTER INSERT ON tasks BEGIN
  INSERT INTO usage (user_id, day, model, outcome, tasks, paid, refunded)
  VALUES (new.user_id, new.day, new.model, new.outcome, 1, new.paid, new.refunded)
  ON CONFLICT DO UPDATE SET tasks = tasks + 1, paid = paid + excluded.paid, refunded = refunded + excluded.refunded;
END;
CREATE TRIGGER usage_remove AFTER DELETE ON tasks BEGIN
  UPDATE usage SET tasks = tasks - 1, paid = paid - old.paid, refunded = refunded - old.refunded
  WHERE user_id = old.user_id AND day = old.day AND model = old.model AND outcome = old.outcome;
  DELETE FROM usage
  WHERE user_id = old.user_id AND day = old.day AND model = old.model AND outcome = old.outcome AND tasks = 0;
END;
CREATE TRIGGER usage_change AFTER UPDATE OF user_id, day, model, state, charged, returned ON tasks
WHEN old.outcome <> new.outcome OR old.paid <> new.paid OR old.refunded <> new.refunded
  OR old.day <> new.day OR old.model <> new.model OR old.user_id <> new.user_id BEGIN
  UPDATE usage SET tasks = tasks - 1, paid = paid - old.paid, refunded = refunded - old.refunded
  WHERE user_id = old.user_id AND day = old.day AND model = old.model AND outcome = old.outcome;
  INSERT INTO usage (user_id, day, model, outcome, tasks, paid, refunded)
  VALUES (new.user_id, new.day, new.model, new.outcome, 1, new.paid, new.refunded)
  ON CONFLICT DO UPDATE SET tasks = tasks + 1, paid = paid + excluded.paid, refunded = refunded + excluded.refunded;
  DELETE FROM usage
  WHERE user_id = old.user_id AND day = old.day AND model = old.model AND outcome = old.outcome AND tasks = 0;
END;
