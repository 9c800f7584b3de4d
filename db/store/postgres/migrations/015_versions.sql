-- Versions: random numbers that change whenever something that pages show has changed,
-- so that a page which asks every other second is answered with one read while nothing
-- has. Triggers set them. The names are
--   person N     the videos of person N
--   queue        what the service has not begun, and which key each person uses
--   usual        how long finished videos took
--   price MODEL  what videos of the model cost
-- The version of a name is the sum over its rows. A transaction changes any row that no
-- other one holds, or adds one, so that transactions never wait for each other here.
CREATE TABLE versions (
  name  TEXT COLLATE "C" NOT NULL,
  part  BIGINT NOT NULL,
  stamp BIGINT NOT NULL,
  PRIMARY KEY (name, part)
) WITH (fillfactor = 50);

CREATE FUNCTION new_version(of_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  free bigint;
BEGIN
  -- Once per transaction suffices: its changes become visible together.
  IF EXISTS (SELECT 1 FROM versions WHERE name = of_name AND xmin = CAST(pg_current_xact_id() AS xid)) THEN
    RETURN;
  END IF;
  SELECT part INTO free FROM versions WHERE name = of_name LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    UPDATE versions SET stamp = CAST(random() * 1e15 AS bigint) WHERE name = of_name AND part = free;
  ELSE
    INSERT INTO versions (name, part, stamp) VALUES (of_name, CAST(random() * 1e15 AS bigint), CAST(random() * 1e15 AS bigint));
  END IF;
END $$;

CREATE FUNCTION version_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was_success boolean := TG_OP <> 'INSERT' AND old.state = 'success';
  was_unbegun boolean := TG_OP <> 'INSERT' AND old.state IN ('queued', 'sending', 'pending');
  was_charged bigint := CASE WHEN TG_OP <> 'INSERT' AND (old.charged > 0 OR old.state = 'success') THEN old.charged END;
  is_success boolean := TG_OP <> 'DELETE' AND new.state = 'success';
  is_unbegun boolean := TG_OP <> 'DELETE' AND new.state IN ('queued', 'sending', 'pending');
  is_charged bigint := CASE WHEN TG_OP <> 'DELETE' AND (new.charged > 0 OR new.state = 'success') THEN new.charged END;
  other_kind boolean := TG_OP = 'UPDATE' AND (old.model, old.scene, old.options) IS DISTINCT FROM (new.model, new.scene, new.options);
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM new_version('person ' || old.user_id); END IF;
  IF TG_OP = 'INSERT' OR TG_OP = 'UPDATE' AND old.user_id <> new.user_id THEN PERFORM new_version('person ' || new.user_id); END IF;
  IF was_unbegun OR is_unbegun THEN
    IF TG_OP <> 'UPDATE' OR (old.state, old.sent_at, old.user_id) IS DISTINCT FROM (new.state, new.sent_at, new.user_id) THEN
      PERFORM new_version('queue');
    END IF;
  END IF;
  IF was_success OR is_success THEN
    IF TG_OP <> 'UPDATE' OR other_kind OR (old.state, old.sent_at, old.done_at) IS DISTINCT FROM (new.state, new.sent_at, new.done_at) THEN
      PERFORM new_version('usual');
    END IF;
  END IF;
  IF was_charged IS DISTINCT FROM is_charged OR other_kind THEN
    IF TG_OP <> 'INSERT' THEN PERFORM new_version('price ' || old.model); END IF;
    IF TG_OP = 'INSERT' OR TG_OP = 'UPDATE' AND old.model <> new.model THEN PERFORM new_version('price ' || new.model); END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER version_task AFTER INSERT OR DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION version_tasks();
CREATE TRIGGER version_task_change AFTER UPDATE OF
  user_id, scene, model, state, status, keeping, provider, remote_id, upstream_id, progress, blame, quoted, charged, returned,
  created_at, sent_at, accepted_at, done_at, returned_at, decided_at, stumbles, options, pictures, results, message, prompt, title,
  starred, private, deleted_at, deleted_by, purged_at, parent_id, bond, batch, recipe_id, payer_id, key_id
ON tasks FOR EACH ROW
WHEN ((old.user_id, old.scene, old.model, old.state, old.status, old.keeping, old.provider, old.remote_id, old.upstream_id,
    old.progress, old.blame, old.quoted, old.charged, old.returned, old.created_at, old.sent_at, old.accepted_at, old.done_at,
    old.returned_at, old.decided_at, old.stumbles, old.options, old.pictures, old.results, old.message, old.prompt, old.title,
    old.starred, old.private, old.deleted_at, old.deleted_by, old.purged_at, old.parent_id, old.bond, old.batch, old.recipe_id,
    old.payer_id, old.key_id)
  IS DISTINCT FROM (new.user_id, new.scene, new.model, new.state, new.status, new.keeping, new.provider, new.remote_id, new.upstream_id,
    new.progress, new.blame, new.quoted, new.charged, new.returned, new.created_at, new.sent_at, new.accepted_at, new.done_at,
    new.returned_at, new.decided_at, new.stumbles, new.options, new.pictures, new.results, new.message, new.prompt, new.title,
    new.starred, new.private, new.deleted_at, new.deleted_by, new.purged_at, new.parent_id, new.bond, new.batch, new.recipe_id,
    new.payer_id, new.key_id))
EXECUTE FUNCTION version_tasks();

CREATE FUNCTION version_media() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM new_version('person ' || user_id) FROM tasks WHERE id = old.task_id; END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM new_version('person ' || user_id) FROM tasks WHERE id = new.task_id; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER version_media AFTER INSERT OR DELETE ON media FOR EACH ROW EXECUTE FUNCTION version_media();
CREATE TRIGGER version_media_change
AFTER UPDATE OF task_id, kind, position, hash, type, size, source, created_at, lost_at, width, height ON media
FOR EACH ROW EXECUTE FUNCTION version_media();

-- Who is next, and which keys are used and blocked.
CREATE FUNCTION version_queue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM new_version('queue');
  RETURN NULL;
END $$;
CREATE TRIGGER version_turn AFTER INSERT OR UPDATE OR DELETE ON turns FOR EACH STATEMENT EXECUTE FUNCTION version_queue();
CREATE TRIGGER version_call AFTER INSERT OR UPDATE OR DELETE ON create_calls FOR EACH STATEMENT EXECUTE FUNCTION version_queue();
CREATE TRIGGER version_key AFTER INSERT OR DELETE OR UPDATE OF user_id, fingerprint, last_four ON keys FOR EACH STATEMENT EXECUTE FUNCTION version_queue();
CREATE TRIGGER version_team_key AFTER INSERT OR DELETE OR UPDATE OF name, fingerprint, last_four, standard, deleted_at ON team_keys
  FOR EACH STATEMENT EXECUTE FUNCTION version_queue();
CREATE TRIGGER version_user AFTER UPDATE OF name, team_key_id, deactivated_at ON users FOR EACH STATEMENT EXECUTE FUNCTION version_queue();
CREATE TRIGGER version_setting AFTER INSERT OR UPDATE ON settings FOR EACH ROW WHEN (new.name = 'own keys') EXECUTE FUNCTION version_queue();
CREATE TRIGGER version_setting_remove AFTER DELETE ON settings FOR EACH ROW WHEN (old.name = 'own keys') EXECUTE FUNCTION version_queue();
