-- What the limits count of a video that has ended and whose charge the service never named:
-- what it held, unless its credits come back, as they do for one that failed. They don't for
-- one that was canceled, one that a filter keeps back (a success for the service), and one
-- that ended because the service's answers cannot be read. Processes of the previous version
-- read the column by its name.
ALTER TABLE tasks DROP COLUMN counted;
ALTER TABLE tasks ADD COLUMN counted BIGINT NOT NULL GENERATED ALWAYS AS (
  CASE WHEN charged IS NOT NULL THEN charged - coalesce(returned, 0)
    WHEN state IN ('queued', 'sending', 'pending', 'processing', 'success', 'canceled') OR (state = 'unconfirmed' AND decided_at IS NULL)
      OR (state = 'failed' AND (status = 'success' OR blame = 'service')) THEN held
    ELSE 0 END) STORED;
INSERT INTO spent (month, user_id, service_id, counted)
SELECT month_of(day), payer, service_id, sum(held) FROM tasks
WHERE charged IS NULL AND held <> 0 AND (state = 'canceled' OR state = 'failed' AND (status = 'success' OR blame = 'service'))
GROUP BY 1, 2, 3
ON CONFLICT (month, user_id, service_id) DO UPDATE SET counted = spent.counted + excluded.counted;

-- Videos that have ended, and for which the service has named no price.
CREATE INDEX tasks_unnamed ON tasks (service_id, day) WHERE quoted IS NULL AND charged IS NULL AND state IN ('success', 'canceled', 'failed');
