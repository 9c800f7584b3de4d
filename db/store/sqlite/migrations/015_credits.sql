-- Credits are integers: thousandths of a credit. Sums of them are exact, and the
-- same in every database.
DROP TRIGGER usage_add;
DROP TRIGGER usage_remove;
DROP TRIGGER usage_change;
DROP TABLE usage;
DROP INDEX tasks_price;
ALTER TABLE tasks DROP COLUMN paid;
ALTER TABLE tasks DROP COLUMN refunded;

ALTER TABLE tasks RENAME COLUMN quoted TO quoted_before;
ALTER TABLE tasks RENAME COLUMN charged TO charged_before;
ALTER TABLE tasks RENAME COLUMN returned TO returned_before;
ALTER TABLE recipes RENAME COLUMN ceiling TO ceiling_before;
ALTER TABLE tasks ADD COLUMN quoted INTEGER; -- thousandths; NULL is not known
ALTER TABLE tasks ADD COLUMN charged INTEGER;
ALTER TABLE tasks ADD COLUMN returned INTEGER;
ALTER TABLE recipes ADD COLUMN ceiling INTEGER; -- thousandths for one video; NULL is none
-- A bound keeps them numbers, whatever a service has said.
UPDATE tasks SET
  quoted = CAST(round(max(-1e12, min(1e12, quoted_before)) * 1000) AS INTEGER),
  charged = CAST(round(max(-1e12, min(1e12, charged_before)) * 1000) AS INTEGER),
  returned = CAST(round(max(-1e12, min(1e12, returned_before)) * 1000) AS INTEGER)
WHERE coalesce(quoted_before, charged_before, returned_before) IS NOT NULL;
UPDATE recipes SET ceiling = CAST(round(max(-1e12, min(1e12, ceiling_before)) * 1000) AS INTEGER)
WHERE ceiling_before IS NOT NULL;

-- The upgrade fails, and changes nothing, where a sum is another one than before,
-- apart from half a thousandth for each number and the inexactness of the old ones.
CREATE TABLE credits_before_and_after (
  amounts INTEGER NOT NULL,
  before  REAL NOT NULL,
  after   REAL NOT NULL,
  CHECK (abs(before - after) <= 0.0005 * amounts + 1e-9 * abs(before))
) STRICT;
INSERT INTO credits_before_and_after (amounts, before, after)
SELECT count(quoted_before), total(max(-1e12, min(1e12, quoted_before))), total(quoted) / 1000 FROM tasks
UNION ALL
SELECT count(charged_before), total(max(-1e12, min(1e12, charged_before))), total(charged) / 1000 FROM tasks
UNION ALL
SELECT count(returned_before), total(max(-1e12, min(1e12, returned_before))), total(returned) / 1000 FROM tasks
UNION ALL
SELECT count(ceiling_before), total(max(-1e12, min(1e12, ceiling_before))), total(ceiling) / 1000 FROM recipes;
DROP TABLE credits_before_and_after;

ALTER TABLE tasks DROP COLUMN quoted_before;
ALTER TABLE tasks DROP COLUMN charged_before;
ALTER TABLE tasks DROP COLUMN returned_before;
ALTER TABLE recipes DROP COLUMN ceiling_before;

-- What the totals add up.
ALTER TABLE tasks ADD COLUMN paid INTEGER NOT NULL AS (coalesce(charged, 0));
ALTER TABLE tasks ADD COLUMN refunded INTEGER NOT NULL AS (coalesce(returned, 0));
CREATE INDEX tasks_price ON tasks (model, scene, duration, resolution, audio, id, charged) WHERE charged IS NOT NULL;

CREATE TABLE usage (
  user_id  INTEGER NOT NULL,
  day      INTEGER NOT NULL,
  model    TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  tasks    INTEGER NOT NULL,
  paid     INTEGER NOT NULL, -- thousandths
  refunded INTEGER NOT NULL,
  PRIMARY KEY (user_id, day, model, outcome)
) STRICT, WITHOUT ROWID;
INSERT INTO usage (user_id, day, model, outcome, tasks, paid, refunded)
SELECT user_id, day, model, outcome, count(*), sum(paid), sum(refunded)
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
