-- What was spent is kept for each video service, so that the credits of practice mode are
-- never added to real ones. Everything of earlier versions belongs to the first service.
ALTER TABLE usage ADD COLUMN service_id BIGINT NOT NULL DEFAULT 1;
ALTER TABLE usage DROP CONSTRAINT usage_pkey;
ALTER TABLE usage ADD PRIMARY KEY (user_id, day, model, outcome, key_id, service_id);
ALTER TABLE usage_months ADD COLUMN service_id BIGINT NOT NULL DEFAULT 1;
ALTER TABLE usage_months DROP CONSTRAINT usage_months_pkey;
ALTER TABLE usage_months ADD PRIMARY KEY (month, user_id, model, outcome, key_id, service_id);
ALTER TABLE spent ADD COLUMN service_id BIGINT NOT NULL DEFAULT 1;
ALTER TABLE spent DROP CONSTRAINT spent_pkey;
ALTER TABLE spent ADD PRIMARY KEY (month, user_id, service_id);

DROP FUNCTION count_spent(bigint, bigint, bigint);
CREATE FUNCTION count_spent(of_user bigint, on_day bigint, with_service bigint, more bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF more <> 0 THEN
    INSERT INTO spent (month, user_id, service_id, counted) VALUES (month_of(on_day), of_user, with_service, more)
    ON CONFLICT (month, user_id, service_id) DO UPDATE SET counted = spent.counted + excluded.counted;
  END IF;
END $$;
DROP FUNCTION count_usage(bigint, bigint, text, text, bigint, bigint, bigint, bigint);
CREATE FUNCTION count_usage(of_user bigint, on_day bigint, with_model text, with_outcome text, with_key bigint, with_service bigint,
  many bigint, more_paid bigint, more_refunded bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage (user_id, day, model, outcome, key_id, service_id, tasks, paid, refunded)
  VALUES (of_user, on_day, with_model, with_outcome, with_key, with_service, many, more_paid, more_refunded)
  ON CONFLICT (user_id, day, model, outcome, key_id, service_id) DO UPDATE SET
    tasks = usage.tasks + excluded.tasks, paid = usage.paid + excluded.paid, refunded = usage.refunded + excluded.refunded;
  DELETE FROM usage
  WHERE user_id = of_user AND day = on_day AND model = with_model AND outcome = with_outcome AND key_id = with_key
    AND service_id = with_service AND tasks = 0;
END $$;
CREATE OR REPLACE FUNCTION task_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.deleted_at IS NULL THEN
    INSERT INTO gallery (id, user_id, team, starred, created_at, state, scene, aspect_ratio, model)
    VALUES (new.id, new.user_id, new.team, new.starred, new.created_at, new.state, new.scene, new.aspect_ratio, new.model);
  END IF;
  PERFORM count_usage(new.payer, new.day, new.model, new.outcome, new.key_id, new.service_id, 1, new.paid, new.refunded);
  PERFORM count_spent(new.payer, new.day, new.service_id, new.counted);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION task_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM gallery WHERE id = old.id;
  PERFORM count_usage(old.payer, old.day, old.model, old.outcome, old.key_id, old.service_id, -1, -old.paid, -old.refunded);
  PERFORM count_spent(old.payer, old.day, old.service_id, -old.counted);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION task_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) THEN
    DELETE FROM gallery WHERE id = new.id;
    INSERT INTO gallery (id, user_id, team, starred, created_at, state, scene, aspect_ratio, model)
    SELECT new.id, new.user_id, new.team, new.starred, new.created_at, new.state, new.scene, new.aspect_ratio, new.model
    WHERE new.deleted_at IS NULL;
  ELSIF (old.user_id, old.team, old.starred, old.created_at, old.state, old.scene, old.aspect_ratio, old.model)
    <> (new.user_id, new.team, new.starred, new.created_at, new.state, new.scene, new.aspect_ratio, new.model) THEN
    UPDATE gallery SET user_id = new.user_id, team = new.team, starred = new.starred, created_at = new.created_at,
      state = new.state, scene = new.scene, aspect_ratio = new.aspect_ratio, model = new.model
    WHERE id = new.id;
  END IF;
  IF (old.payer, old.day, old.model, old.outcome, old.key_id, old.service_id, old.paid, old.refunded)
    <> (new.payer, new.day, new.model, new.outcome, new.key_id, new.service_id, new.paid, new.refunded) THEN
    PERFORM count_usage(old.payer, old.day, old.model, old.outcome, old.key_id, old.service_id, -1, -old.paid, -old.refunded);
    PERFORM count_usage(new.payer, new.day, new.model, new.outcome, new.key_id, new.service_id, 1, new.paid, new.refunded);
  END IF;
  IF (old.payer, old.day, old.service_id, old.counted) <> (new.payer, new.day, new.service_id, new.counted) THEN
    PERFORM count_spent(old.payer, old.day, old.service_id, -old.counted);
    PERFORM count_spent(new.payer, new.day, new.service_id, new.counted);
  END IF;
  IF NOT (new.state IN ('sending', 'pending', 'processing') OR new.keeping = 'saving'
    OR (new.state = 'unconfirmed' AND new.decided_at IS NULL)) THEN
    DELETE FROM task_keys WHERE task_id = new.id;
  END IF;
  IF old.state <> new.state AND new.state IN ('success', 'failed', 'canceled', 'rejected', 'unconfirmed') THEN
    INSERT INTO deliveries (user_id, task_id, state, created_at, next_at)
    SELECT user_id, new.id, new.state, coalesce(new.done_at, new.created_at),
      coalesce(new.done_at, new.created_at) + CASE WHEN new.keeping = 'saving' THEN 120000 ELSE 0 END
    FROM webhooks WHERE user_id = new.user_id;
  END IF;
  IF old.keeping = 'saving' AND new.keeping <> 'saving' THEN
    UPDATE deliveries SET next_at = created_at WHERE task_id = new.id AND next_at IS NOT NULL AND tries = 0;
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION usage_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO usage_months (month, user_id, model, outcome, key_id, service_id, tasks, paid, refunded)
    VALUES (month_of(new.day), new.user_id, new.model, new.outcome, new.key_id, new.service_id, new.tasks, new.paid, new.refunded)
    ON CONFLICT (month, user_id, model, outcome, key_id, service_id) DO UPDATE SET tasks = usage_months.tasks + excluded.tasks,
      paid = usage_months.paid + excluded.paid, refunded = usage_months.refunded + excluded.refunded;
  ELSIF TG_OP = 'UPDATE' THEN
    UPDATE usage_months SET tasks = tasks + new.tasks - old.tasks, paid = paid + new.paid - old.paid, refunded = refunded + new.refunded - old.refunded
    WHERE month = month_of(new.day) AND user_id = new.user_id AND model = new.model AND outcome = new.outcome AND key_id = new.key_id AND service_id = new.service_id;
  ELSE
    UPDATE usage_months SET tasks = tasks - old.tasks, paid = paid - old.paid, refunded = refunded - old.refunded
    WHERE month = month_of(old.day) AND user_id = old.user_id AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND service_id = old.service_id;
    DELETE FROM usage_months
    WHERE month = month_of(old.day) AND user_id = old.user_id AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND service_id = old.service_id AND tasks = 0;
  END IF;
  RETURN NULL;
END $$;

-- What was allowed beyond a limit is allowed at the service that the team used when somebody
-- asked for it.
ALTER TABLE asks ADD COLUMN service_id BIGINT NOT NULL DEFAULT 1;

-- Prices and usual times are those of one service.
DROP INDEX tasks_usual;
CREATE INDEX tasks_usual ON tasks (service_id, model, scene, duration, resolution, done_at, sent_at) WHERE state = 'success';
DROP INDEX tasks_price;
CREATE INDEX tasks_price ON tasks (service_id, model, scene, duration, resolution, audio, id, charged) WHERE charged IS NOT NULL;

-- Usual times that are only stated, because nothing has finished yet, change too.
CREATE OR REPLACE FUNCTION version_service() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE versions SET stamp = CAST(random() * 1e15 AS bigint);
  PERFORM new_version('queue');
  PERFORM new_version('usual');
  RETURN NULL;
END $$;
