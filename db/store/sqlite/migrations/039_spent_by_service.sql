-- What was spent is kept for each video service, so that the credits of practice mode are
-- never added to real ones. Everything of earlier versions belongs to the first service.
DROP TRIGGER usage_add;
DROP TRIGGER usage_remove;
DROP TRIGGER usage_change;
DROP TRIGGER spent_add;
DROP TRIGGER spent_remove;
DROP TRIGGER spent_change;
DROP TRIGGER usage_month_add;
DROP TRIGGER usage_month_change;
DROP TRIGGER usage_month_remove;
DROP INDEX usage_by_day;
ALTER TABLE usage RENAME TO usage_before;
ALTER TABLE usage_months RENAME TO usage_months_before;
ALTER TABLE spent RENAME TO spent_before;

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
INSERT INTO usage (user_id, day, model, outcome, key_id, service_id, tasks, paid, refunded)
SELECT user_id, day, model, outcome, key_id, 1, tasks, paid, refunded FROM usage_before;
DROP TABLE usage_before;
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
INSERT INTO usage_months (month, user_id, model, outcome, key_id, service_id, tasks, paid, refunded)
SELECT month, user_id, model, outcome, key_id, 1, tasks, paid, refunded FROM usage_months_before;
DROP TABLE usage_months_before;

CREATE TABLE spent (
  month      INTEGER NOT NULL,
  user_id    INTEGER NOT NULL,
  service_id INTEGER NOT NULL,
  counted    INTEGER NOT NULL,
  PRIMARY KEY (month, user_id, service_id)
) STRICT, WITHOUT ROWID;
INSERT INTO spent (month, user_id, service_id, counted) SELECT month, user_id, 1, counted FROM spent_before;
DROP TABLE spent_before;

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

CREATE TRIGGER spent_add AFTER INSERT ON tasks WHEN new.counted <> 0 BEGIN
  INSERT INTO spent (month, user_id, service_id, counted)
  VALUES (CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER), new.payer, new.service_id, new.counted)
  ON CONFLICT DO UPDATE SET counted = counted + excluded.counted;
END;
CREATE TRIGGER spent_remove AFTER DELETE ON tasks WHEN old.counted <> 0 BEGIN
  UPDATE spent SET counted = counted - old.counted
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.payer AND service_id = old.service_id;
END;
CREATE TRIGGER spent_change AFTER UPDATE OF user_id, payer_id, day, state, charged, returned, decided_at, held, service_id ON tasks
WHEN old.counted <> new.counted OR old.day <> new.day OR old.payer <> new.payer OR old.service_id <> new.service_id BEGIN
  UPDATE spent SET counted = counted - old.counted
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.payer AND service_id = old.service_id;
  INSERT INTO spent (month, user_id, service_id, counted)
  SELECT CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER), new.payer, new.service_id, new.counted WHERE new.counted <> 0
  ON CONFLICT DO UPDATE SET counted = counted + excluded.counted;
END;

-- What was allowed beyond a limit is allowed at the service that the team used when somebody
-- asked for it.
ALTER TABLE asks ADD COLUMN service_id INTEGER NOT NULL DEFAULT 1;

-- Prices and usual times are those of one service.
DROP INDEX tasks_usual;
CREATE INDEX tasks_usual ON tasks (service_id, model, scene, duration, resolution, done_at, sent_at) WHERE state = 'success';
DROP INDEX tasks_price;
CREATE INDEX tasks_price ON tasks (service_id, model, scene, duration, resolution, audio, id, charged) WHERE charged IS NOT NULL;

-- Usual times that are only stated, because nothing has finished yet, change too.
DROP TRIGGER version_service;
CREATE TRIGGER version_service AFTER UPDATE OF current, held ON services WHEN (old.current, old.held) <> (new.current, new.held) BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', 0), ('usual', 0) ON CONFLICT DO NOTHING;
  UPDATE versions SET stamp = abs(random() % 1000000000000000);
END;
