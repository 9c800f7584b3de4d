-- What the limits count of a video that has ended and whose charge the service never named:
-- what it held, unless its credits come back, as they do for one that failed. They don't for
-- one that was canceled, one that a filter keeps back (a success for the service), and one
-- that ended because the service's answers cannot be read.
DROP TRIGGER spent_add;
DROP TRIGGER spent_remove;
DROP TRIGGER spent_change;
ALTER TABLE tasks DROP COLUMN counted;
ALTER TABLE tasks ADD COLUMN counted INTEGER NOT NULL AS (
  CASE WHEN charged IS NOT NULL THEN charged - coalesce(returned, 0)
    WHEN state IN ('queued', 'sending', 'pending', 'processing', 'success', 'canceled') OR (state = 'unconfirmed' AND decided_at IS NULL)
      OR (state = 'failed' AND (status = 'success' OR blame = 'service')) THEN held
    ELSE 0 END);
INSERT INTO spent (month, user_id, service_id, counted)
SELECT CAST(strftime('%Y%m', day * 86400, 'unixepoch') AS INTEGER) AS month, payer, service_id, sum(held) FROM tasks
WHERE charged IS NULL AND held <> 0 AND (state = 'canceled' OR state = 'failed' AND (status = 'success' OR blame = 'service'))
GROUP BY month, payer, service_id
ON CONFLICT DO UPDATE SET counted = counted + excluded.counted;

CREATE TRIGGER spent_add AFTER INSERT ON tasks WHEN new.counted <> 0 BEGIN
  INSERT INTO spent (month, user_id, service_id, counted)
  VALUES (CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER), new.payer, new.service_id, new.counted)
  ON CONFLICT DO UPDATE SET counted = counted + excluded.counted;
END;
CREATE TRIGGER spent_remove AFTER DELETE ON tasks WHEN old.counted <> 0 BEGIN
  UPDATE spent SET counted = counted - old.counted
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.payer AND service_id = old.service_id;
END;
CREATE TRIGGER spent_change AFTER UPDATE OF user_id, payer_id, day, state, status, blame, charged, returned, decided_at, held, service_id ON tasks
WHEN old.counted <> new.counted OR old.day <> new.day OR old.payer <> new.payer OR old.service_id <> new.service_id BEGIN
  UPDATE spent SET counted = counted - old.counted
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.payer AND service_id = old.service_id;
  INSERT INTO spent (month, user_id, service_id, counted)
  SELECT CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER), new.payer, new.service_id, new.counted WHERE new.counted <> 0
  ON CONFLICT DO UPDATE SET counted = counted + excluded.counted;
END;

-- Videos that have ended, and for which the service has named no price.
CREATE INDEX tasks_unnamed ON tasks (service_id, day) WHERE quoted IS NULL AND charged IS NULL AND state IN ('success', 'canceled', 'failed');
