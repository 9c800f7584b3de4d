-- Versions: random numbers that change whenever something that pages show has changed,
-- so that a page which asks every other second is answered with one read while nothing
-- has. Triggers set them. The names are
--   person N     the videos of person N
--   queue        what the service has not begun, and which key each person uses
--   usual        how long finished videos took
--   price MODEL  what videos of the model cost
CREATE TABLE versions (
  name  TEXT PRIMARY KEY,
  stamp INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER version_task_add AFTER INSERT ON tasks BEGIN
  INSERT INTO versions (name, stamp)
  SELECT name, abs(random() % 1000000000000000) FROM (
    SELECT 'person ' || new.user_id AS name
    UNION ALL SELECT 'queue' WHERE new.state IN ('queued', 'sending', 'pending')
    UNION ALL SELECT 'usual' WHERE new.state = 'success'
    UNION ALL SELECT 'price ' || new.model WHERE new.charged > 0 OR new.charged = 0 AND new.state = 'success'
  ) changed WHERE true
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_task_remove AFTER DELETE ON tasks BEGIN
  INSERT INTO versions (name, stamp)
  SELECT name, abs(random() % 1000000000000000) FROM (
    SELECT 'person ' || old.user_id AS name
    UNION ALL SELECT 'queue' WHERE old.state IN ('queued', 'sending', 'pending')
    UNION ALL SELECT 'usual' WHERE old.state = 'success'
    UNION ALL SELECT 'price ' || old.model WHERE old.charged > 0 OR old.charged = 0 AND old.state = 'success'
  ) changed WHERE true
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_task_change AFTER UPDATE OF
  user_id, scene, model, state, status, keeping, provider, remote_id, upstream_id, progress, blame, quoted, charged, returned,
  created_at, sent_at, accepted_at, done_at, returned_at, decided_at, stumbles, options, pictures, results, message, prompt, title,
  starred, private, deleted_at, deleted_by, purged_at, parent_id, bond, batch, recipe_id, payer_id, key_id
ON tasks
WHEN (old.user_id, old.scene, old.model, old.state, old.status, old.keeping, old.provider, old.remote_id, old.upstream_id,
    old.progress, old.blame, old.quoted, old.charged, old.returned, old.created_at, old.sent_at, old.accepted_at, old.done_at,
    old.returned_at, old.decided_at, old.stumbles, old.options, old.pictures, old.results, old.message, old.prompt, old.title,
    old.starred, old.private, old.deleted_at, old.deleted_by, old.purged_at, old.parent_id, old.bond, old.batch, old.recipe_id,
    old.payer_id, old.key_id)
  IS NOT (new.user_id, new.scene, new.model, new.state, new.status, new.keeping, new.provider, new.remote_id, new.upstream_id,
    new.progress, new.blame, new.quoted, new.charged, new.returned, new.created_at, new.sent_at, new.accepted_at, new.done_at,
    new.returned_at, new.decided_at, new.stumbles, new.options, new.pictures, new.results, new.message, new.prompt, new.title,
    new.starred, new.private, new.deleted_at, new.deleted_by, new.purged_at, new.parent_id, new.bond, new.batch, new.recipe_id,
    new.payer_id, new.key_id)
BEGIN
  INSERT INTO versions (name, stamp)
  SELECT name, abs(random() % 1000000000000000) FROM (
    SELECT 'person ' || new.user_id AS name
    UNION ALL SELECT 'person ' || old.user_id WHERE old.user_id <> new.user_id
    UNION ALL SELECT 'queue'
      WHERE (old.state, old.sent_at, old.user_id) IS NOT (new.state, new.sent_at, new.user_id)
        AND (old.state IN ('queued', 'sending', 'pending') OR new.state IN ('queued', 'sending', 'pending'))
    UNION ALL SELECT 'usual'
      WHERE (old.state, old.sent_at, old.done_at, old.model, old.scene, old.duration, old.resolution)
          IS NOT (new.state, new.sent_at, new.done_at, new.model, new.scene, new.duration, new.resolution)
        AND (old.state = 'success' OR new.state = 'success')
    UNION ALL SELECT 'price ' || old.model WHERE old.model <> new.model
    UNION ALL SELECT 'price ' || new.model
      WHERE (iif(old.charged > 0 OR old.state = 'success', old.charged, NULL), old.model, old.scene, old.duration, old.resolution, old.audio)
        IS NOT (iif(new.charged > 0 OR new.state = 'success', new.charged, NULL), new.model, new.scene, new.duration, new.resolution, new.audio)
  ) changed WHERE true
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

-- The files of a video.
CREATE TRIGGER version_media_add AFTER INSERT ON media BEGIN
  INSERT INTO versions (name, stamp)
  SELECT 'person ' || user_id, abs(random() % 1000000000000000) FROM tasks WHERE id = new.task_id
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_media_remove AFTER DELETE ON media BEGIN
  INSERT INTO versions (name, stamp)
  SELECT 'person ' || user_id, abs(random() % 1000000000000000) FROM tasks WHERE id = old.task_id
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_media_change
AFTER UPDATE OF task_id, kind, position, hash, type, size, source, created_at, lost_at, width, height ON media BEGIN
  INSERT INTO versions (name, stamp)
  SELECT 'person ' || user_id, abs(random() % 1000000000000000) FROM tasks WHERE id IN (old.task_id, new.task_id)
  ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

-- Who is next, and which keys are used and blocked.
CREATE TRIGGER version_turn_add AFTER INSERT ON turns BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_turn_change AFTER UPDATE ON turns BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_turn_remove AFTER DELETE ON turns BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_call_add AFTER INSERT ON create_calls BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_call_change AFTER UPDATE ON create_calls BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_call_remove AFTER DELETE ON create_calls BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_key_add AFTER INSERT ON keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_key_change AFTER UPDATE OF user_id, fingerprint, last_four ON keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_key_remove AFTER DELETE ON keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_team_key_add AFTER INSERT ON team_keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_team_key_change AFTER UPDATE OF name, fingerprint, last_four, standard, deleted_at ON team_keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_team_key_remove AFTER DELETE ON team_keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_user_change AFTER UPDATE OF name, team_key_id, deactivated_at ON users
WHEN (old.name, old.team_key_id, old.deactivated_at) IS NOT (new.name, new.team_key_id, new.deactivated_at) BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_setting_add AFTER INSERT ON settings WHEN new.name = 'own keys' BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_setting_change AFTER UPDATE ON settings WHEN old.name = 'own keys' OR new.name = 'own keys' BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_setting_remove AFTER DELETE ON settings WHEN old.name = 'own keys' BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
