-- Processes of versions from before prices were awaited go on beside this one. They begin create
-- calls without asking what other videos may cost. Here, the rules of this version's
-- db/store/video/task_price.go hold for them too. For processes of this version, which have
-- checked the same before, nothing changes.

-- The highest price of the newest videos that are like the task, as package ordering has it;
-- NULL if none is.
CREATE FUNCTION likely_price(of_task bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN count(*) FILTER (WHERE same) >= 3 THEN max(charged) FILTER (WHERE same) ELSE max(charged) FILTER (WHERE place <= 5) END
  FROM (
    SELECT n.charged, s.scene = t.scene AS same, row_number() OVER (ORDER BY n.id DESC) AS place
    FROM tasks t, unnest(ARRAY['text-to-video', 'image-to-video', 'frames-to-video', 'reference-to-video']) s (scene), LATERAL (
      SELECT f.id, f.charged FROM tasks f
      WHERE f.charged IS NOT NULL AND (f.charged > 0 OR f.state = 'success') AND f.service_id = t.service_id AND f.model = t.model
        AND f.scene = s.scene AND f.duration = t.duration AND f.resolution = t.resolution AND f.audio = t.audio
      ORDER BY f.id DESC LIMIT 5) n
    WHERE t.id = of_task
  ) newest
$$;

-- Whether the create call of the queued task may begin: no video whose price is awaited is under
-- a limit that applies to the task, and the limits leave enough. From then on, the task holds
-- what it may cost.
CREATE FUNCTION may_send(of_task bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  t record;
  of_token bigint;
  token_cap bigint;
  of_person bigint;
  self_limit bigint;
  of_team bigint;
  counting bigint[] := ARRAY(SELECT id FROM services WHERE practice = (SELECT practice FROM services WHERE current = 1));
  cost bigint;
  likely bigint;
  has bigint;
BEGIN
  SELECT id, state, payer, service_id, quoted, held, batch, month_of(day) AS month INTO t FROM tasks WHERE id = of_task;
  IF t.state <> 'queued' THEN
    RETURN true;
  END IF;
  SELECT p.id, p.cap INTO of_token, token_cap FROM program_tasks o JOIN programs p ON p.id = o.program_id WHERE o.task_id = of_task AND p.uncapped = 0;
  SELECT p.self, CASE coalesce(p.allowance, 'default') WHEN 'own' THEN p.credits
    WHEN 'default' THEN (SELECT CAST(value AS bigint) FROM settings WHERE name = 'limit' AND value ~ '^[0-9]{1,18}$') END
  INTO self_limit, of_person FROM users u LEFT JOIN purses p ON p.user_id = u.id WHERE u.id = t.payer;
  SELECT credits INTO of_team FROM purses WHERE user_id = 0 AND allowance = 'own';
  IF of_token IS NULL AND of_person IS NULL AND self_limit IS NULL AND of_team IS NULL THEN
    RETURN true;
  END IF;

  IF of_token IS NOT NULL OR of_person IS NOT NULL OR self_limit IS NOT NULL THEN
    INSERT INTO purses (user_id, presses) VALUES (t.payer, 1) ON CONFLICT (user_id) DO UPDATE SET presses = purses.presses + 1;
  END IF;
  IF of_team IS NOT NULL THEN
    INSERT INTO purses (user_id, presses) VALUES (0, 1) ON CONFLICT (user_id) DO UPDATE SET presses = purses.presses + 1;
  END IF;
  IF EXISTS (
    SELECT 1 FROM tasks f LEFT JOIN program_tasks o ON o.task_id = f.id
    WHERE f.state = 'sending' AND f.quoted IS NULL AND f.held = 0 AND f.service_id = ANY (counting) AND f.id <> of_task
      AND (of_team IS NOT NULL OR (of_person IS NOT NULL OR self_limit IS NOT NULL) AND f.payer = t.payer OR o.program_id = of_token))
  THEN
    RETURN false;
  END IF;

  likely := likely_price(of_task);
  cost := greatest(CASE WHEN t.quoted IS NOT NULL THEN t.held END, likely);
  IF cost IS NULL AND EXISTS (
    SELECT 1 FROM tasks f LEFT JOIN program_tasks o ON o.task_id = f.id
    WHERE f.service_id = (SELECT id FROM services WHERE current = 1 AND services.held = 0) AND f.quoted IS NULL AND f.charged IS NULL
      AND f.state IN ('pending', 'processing', 'unconfirmed') AND (f.state <> 'unconfirmed' OR f.decided_at IS NULL) AND f.held = 0 AND f.id <> of_task
      AND NOT EXISTS (SELECT 1 FROM tasks d WHERE d.service_id = f.service_id AND d.charged IS NOT NULL AND d.charged > 0)
      AND (of_team IS NOT NULL OR (of_person IS NOT NULL OR self_limit IS NOT NULL) AND f.payer = t.payer OR o.program_id = of_token))
  THEN
    RETURN false;
  END IF;
  IF t.quoted IS NOT NULL AND cost = t.held THEN
    RETURN true;
  END IF;

  SELECT coalesce(sum(f.counted), 0) INTO has FROM program_tasks o JOIN tasks f ON f.id = o.task_id
  WHERE o.program_id = of_token AND o.month = t.month AND f.service_id = ANY (counting);
  IF has - t.held + coalesce(cost, 1) > token_cap THEN
    RETURN false;
  END IF;
  SELECT coalesce(sum(counted), 0) INTO has FROM spent WHERE month = t.month AND user_id = t.payer AND service_id = ANY (counting);
  of_person := of_person
    + (SELECT coalesce(sum(credits), 0) FROM asks WHERE user_id = t.payer AND month = t.month AND answer = 'month' AND unpriced = 0 AND ended_at IS NULL AND service_id = ANY (counting))
    + (SELECT coalesce(max(a.credits), 0) FROM asks a JOIN tasks f ON f.id = a.task_id
      WHERE a.user_id = t.payer AND a.answer = 'once' AND a.unpriced = 0 AND a.used_at IS NOT NULL AND (f.id = of_task OR f.batch = t.batch AND t.batch <> ''));
  IF has - t.held + coalesce(cost, 1) > least(of_person, self_limit) THEN
    RETURN false;
  END IF;
  SELECT coalesce(sum(counted), 0) INTO has FROM spent WHERE month = t.month AND service_id = ANY (counting);
  IF has - t.held + coalesce(cost, 1) > of_team THEN
    RETURN false;
  END IF;

  IF coalesce(cost, 0) <> t.held THEN
    UPDATE tasks SET held = coalesce(cost, 0) WHERE id = of_task;
    IF t.quoted IS NULL THEN
      UPDATE program_tasks SET expected = t.held WHERE task_id = of_task AND expected IS NULL;
    END IF;
  END IF;
  RETURN true;
END $$;

-- A process whose row is not inserted leaves the task alone, as if another one made a call with
-- the same key.
CREATE FUNCTION call_may_begin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF may_send(new.task_id) THEN
    RETURN new;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER call_may_begin BEFORE INSERT ON create_calls FOR EACH ROW EXECUTE FUNCTION call_may_begin();

-- A video whose price the answer does not name, or whose answer is lost, counts as the dearest
-- one of its service.
CREATE FUNCTION unnamed_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.held = coalesce((SELECT f.charged FROM tasks f WHERE f.service_id = new.service_id AND f.charged IS NOT NULL ORDER BY f.charged DESC LIMIT 1), 0);
  RETURN new;
END $$;
CREATE TRIGGER unnamed_price BEFORE UPDATE OF state ON tasks FOR EACH ROW
  WHEN (old.state IN ('queued', 'sending') AND new.state NOT IN ('queued', 'sending', 'rejected')
    AND new.quoted IS NULL AND new.charged IS NULL AND new.held = 0) EXECUTE FUNCTION unnamed_price();

CREATE FUNCTION dearest_price() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE tasks SET held = new.charged
  WHERE service_id = new.service_id AND quoted IS NULL AND charged IS NULL AND state IN ('pending', 'processing', 'unconfirmed') AND held < new.charged;
  UPDATE tasks SET held = new.charged
  WHERE service_id = new.service_id AND quoted IS NULL AND charged IS NULL AND state IN ('success', 'canceled', 'failed')
    AND (state <> 'failed' OR status = 'success' OR blame = 'service') AND day > new.day - 31 AND held < new.charged;
  RETURN NULL;
END $$;
CREATE TRIGGER dearest_price AFTER UPDATE OF charged ON tasks FOR EACH ROW
  WHEN (new.charged > coalesce(old.charged, 0)) EXECUTE FUNCTION dearest_price();
