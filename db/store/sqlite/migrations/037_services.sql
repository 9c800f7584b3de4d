-- The video services that the team has used. Everything that was sent to one, or that only
-- one accepts, says which: keys, tasks and the addresses of uploaded pictures. The first
-- service is known by its address as soon as this version has started once.
CREATE TABLE services (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  address  TEXT NOT NULL UNIQUE,       -- without credentials
  practice INTEGER NOT NULL DEFAULT 0, -- 1: the embedded one, whose credits are not real
  current  INTEGER NOT NULL DEFAULT 0, -- 1: new videos are sent to it
  held     INTEGER NOT NULL DEFAULT 0, -- 1: it came from a backup, and is not called until an admin has confirmed it
  used_at  INTEGER NOT NULL            -- when it became the current one last
) STRICT;
CREATE UNIQUE INDEX service_current ON services (current) WHERE current = 1;
INSERT INTO services (id, address, current, used_at) VALUES (1, '', 1, 0);

ALTER TABLE tasks ADD COLUMN service_id INTEGER NOT NULL DEFAULT 1;
CREATE INDEX tasks_queued_of_service ON tasks (service_id, user_id, id) WHERE state = 'queued';

ALTER TABLE picture_tokens ADD COLUMN service_id INTEGER NOT NULL DEFAULT 1;

-- A person may have a key of their own for each service. The column user_id says whose key for
-- the current service it is, and kept_for whose for another one.
DROP VIEW keys_in_use;
ALTER TABLE keys RENAME TO old_keys;
CREATE TABLE keys (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id     INTEGER UNIQUE REFERENCES users (id),
  kept_for    INTEGER REFERENCES users (id),
  owner       INTEGER NOT NULL AS (coalesce(user_id, kept_for)),
  service_id  INTEGER NOT NULL DEFAULT 1 REFERENCES services (id),
  sealed      BLOB NOT NULL,
  last_four   TEXT NOT NULL,
  fingerprint BLOB,
  created_at  INTEGER NOT NULL,
  checked_at  INTEGER,
  accepted    INTEGER NOT NULL,
  CHECK ((user_id IS NULL) <> (kept_for IS NULL)),
  UNIQUE (kept_for, service_id)
) STRICT;
INSERT INTO keys (user_id, sealed, last_four, fingerprint, created_at, checked_at, accepted)
SELECT user_id, sealed, last_four, fingerprint, created_at, checked_at, accepted FROM old_keys ORDER BY user_id;
DROP TABLE old_keys;

CREATE TRIGGER version_key_add AFTER INSERT ON keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_key_change AFTER UPDATE OF user_id, fingerprint, last_four ON keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_key_remove AFTER DELETE ON keys BEGIN
  INSERT INTO versions (name, stamp) VALUES ('queue', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;

ALTER TABLE team_keys ADD COLUMN service_id INTEGER NOT NULL DEFAULT 1;
DROP INDEX team_key_names;
CREATE UNIQUE INDEX team_key_names ON team_keys (service_id, lower(name)) WHERE deleted_at IS NULL;
DROP INDEX team_key_standard;
CREATE UNIQUE INDEX team_key_standard ON team_keys (service_id) WHERE standard = 1;

-- The key that each person's next video is sent with, which is one for the current service:
-- their own, where the team lets them, or else the one that they were given, or else the
-- standard one. A closed account has none.
CREATE VIEW keys_in_use (user_id, team_key_id, sealed, last_four, fingerprint, created_at, checked_at, accepted, service_id) AS
SELECT u.id, CASE WHEN k.user_id IS NULL THEN t.id ELSE 0 END,
  coalesce(k.sealed, t.sealed), CASE WHEN k.user_id IS NULL THEN t.last_four ELSE k.last_four END,
  CASE WHEN k.user_id IS NULL THEN t.fingerprint ELSE k.fingerprint END, coalesce(k.created_at, t.created_at),
  CASE WHEN k.user_id IS NULL THEN t.checked_at ELSE k.checked_at END, coalesce(k.accepted, t.accepted), s.id
FROM services s
JOIN users u ON true
LEFT JOIN keys k ON k.user_id = u.id AND k.service_id = s.id AND NOT EXISTS (SELECT 1 FROM settings WHERE name = 'own keys' AND value = 'forbidden')
LEFT JOIN team_keys t ON k.user_id IS NULL AND t.deleted_at IS NULL
  AND t.id = coalesce((SELECT id FROM team_keys WHERE id = u.team_key_id AND service_id = s.id), (SELECT id FROM team_keys WHERE service_id = s.id AND standard = 1))
WHERE s.current = 1 AND u.deactivated_at IS NULL AND (k.user_id IS NOT NULL OR t.id IS NOT NULL);

-- Whoever waits for a turn, a price or a time is told when the team changes services.
CREATE TRIGGER version_service AFTER UPDATE OF current, held ON services WHEN (old.current, old.held) <> (new.current, new.held) BEGIN
  UPDATE versions SET stamp = abs(random() % 1000000000000000);
END;
