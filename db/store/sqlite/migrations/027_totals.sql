-- Totals that pages show. Triggers keep them, so that no page has to add up or walk
-- all rows of a table.

-- The bytes of all stored files, in one row. On Postgres they are spread over
-- several, because transactions there write at the same time.
CREATE TABLE kept_bytes (
  part  INTEGER PRIMARY KEY,
  bytes INTEGER NOT NULL
) STRICT;
INSERT INTO kept_bytes (part, bytes)
SELECT 0, coalesce(sum(size), 0) FROM (SELECT size FROM media UNION ALL SELECT size FROM pictures);
DROP INDEX media_size;
DROP INDEX pictures_size;
CREATE TRIGGER kept_media_add AFTER INSERT ON media BEGIN
  UPDATE kept_bytes SET bytes = bytes + new.size WHERE part = 0;
END;
CREATE TRIGGER kept_media_remove AFTER DELETE ON media BEGIN
  UPDATE kept_bytes SET bytes = bytes - old.size WHERE part = 0;
END;
CREATE TRIGGER kept_media_change AFTER UPDATE OF size ON media WHEN old.size <> new.size BEGIN
  UPDATE kept_bytes SET bytes = bytes + new.size - old.size WHERE part = 0;
END;
CREATE TRIGGER kept_picture_add AFTER INSERT ON pictures BEGIN
  UPDATE kept_bytes SET bytes = bytes + new.size WHERE part = 0;
END;
CREATE TRIGGER kept_picture_remove AFTER DELETE ON pictures BEGIN
  UPDATE kept_bytes SET bytes = bytes - old.size WHERE part = 0;
END;
CREATE TRIGGER kept_picture_change AFTER UPDATE OF size ON pictures WHEN old.size <> new.size BEGIN
  UPDATE kept_bytes SET bytes = bytes + new.size - old.size WHERE part = 0;
END;

-- How many videos of a collection are in the gallery: those that the whole team may
-- see under user_id 0, and those that only their maker may see under the maker.
CREATE TABLE collection_counts (
  collection_id INTEGER NOT NULL,
  user_id       INTEGER NOT NULL,
  videos        INTEGER NOT NULL,
  PRIMARY KEY (collection_id, user_id)
) STRICT, WITHOUT ROWID;
INSERT INTO collection_counts (collection_id, user_id, videos)
SELECT k.collection_id, iif(g.team = 1, 0, g.user_id) AS seen_by, count(*)
FROM collection_tasks k JOIN gallery g ON g.id = k.task_id
GROUP BY k.collection_id, seen_by;
CREATE TRIGGER collected_add AFTER INSERT ON collection_tasks BEGIN
  INSERT INTO collection_counts (collection_id, user_id, videos)
  SELECT new.collection_id, iif(team = 1, 0, user_id), 1 FROM gallery WHERE id = new.task_id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;
CREATE TRIGGER collected_remove AFTER DELETE ON collection_tasks BEGIN
  UPDATE collection_counts SET videos = videos - 1
  WHERE collection_id = old.collection_id
    AND user_id = (SELECT iif(team = 1, 0, user_id) FROM gallery WHERE id = old.task_id);
END;
CREATE TRIGGER collected_gone AFTER DELETE ON collections BEGIN
  DELETE FROM collection_counts WHERE collection_id = old.id;
END;
CREATE TRIGGER collected_shown AFTER INSERT ON gallery BEGIN
  INSERT INTO collection_counts (collection_id, user_id, videos)
  SELECT collection_id, iif(new.team = 1, 0, new.user_id), 1 FROM collection_tasks WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;
CREATE TRIGGER collected_hidden AFTER DELETE ON gallery BEGIN
  UPDATE collection_counts SET videos = videos - 1
  WHERE user_id = iif(old.team = 1, 0, old.user_id)
    AND collection_id IN (SELECT collection_id FROM collection_tasks WHERE task_id = old.id);
END;
CREATE TRIGGER collected_change AFTER UPDATE OF team, user_id ON gallery
WHEN iif(old.team = 1, 0, old.user_id) <> iif(new.team = 1, 0, new.user_id) BEGIN
  UPDATE collection_counts SET videos = videos - 1
  WHERE user_id = iif(old.team = 1, 0, old.user_id)
    AND collection_id IN (SELECT collection_id FROM collection_tasks WHERE task_id = new.id);
  INSERT INTO collection_counts (collection_id, user_id, videos)
  SELECT collection_id, iif(new.team = 1, 0, new.user_id), 1 FROM collection_tasks WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;

-- The table usage, by month (such as 202611) instead of by day.
CREATE TABLE usage_months (
  month    INTEGER NOT NULL,
  user_id  INTEGER NOT NULL,
  model    TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  key_id   INTEGER NOT NULL,
  tasks    INTEGER NOT NULL,
  paid     INTEGER NOT NULL, -- thousandths
  refunded INTEGER NOT NULL,
  PRIMARY KEY (month, user_id, model, outcome, key_id)
) STRICT, WITHOUT ROWID;
INSERT INTO usage_months (month, user_id, model, outcome, key_id, tasks, paid, refunded)
SELECT CAST(strftime('%Y%m', day * 86400, 'unixepoch') AS INTEGER) AS month, user_id, model, outcome, key_id, sum(tasks), sum(paid), sum(refunded)
FROM usage GROUP BY month, user_id, model, outcome, key_id;
CREATE TRIGGER usage_month_add AFTER INSERT ON usage BEGIN
  INSERT INTO usage_months (month, user_id, model, outcome, key_id, tasks, paid, refunded)
  VALUES (CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER), new.user_id, new.model, new.outcome, new.key_id, new.tasks, new.paid, new.refunded)
  ON CONFLICT DO UPDATE SET tasks = tasks + excluded.tasks, paid = paid + excluded.paid, refunded = refunded + excluded.refunded;
END;
CREATE TRIGGER usage_month_change AFTER UPDATE ON usage BEGIN
  UPDATE usage_months SET tasks = tasks + new.tasks - old.tasks, paid = paid + new.paid - old.paid, refunded = refunded + new.refunded - old.refunded
  WHERE month = CAST(strftime('%Y%m', new.day * 86400, 'unixepoch') AS INTEGER) AND user_id = new.user_id
    AND model = new.model AND outcome = new.outcome AND key_id = new.key_id;
END;
CREATE TRIGGER usage_month_remove AFTER DELETE ON usage BEGIN
  UPDATE usage_months SET tasks = tasks - old.tasks, paid = paid - old.paid, refunded = refunded - old.refunded
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.user_id
    AND model = old.model AND outcome = old.outcome AND key_id = old.key_id;
  DELETE FROM usage_months
  WHERE month = CAST(strftime('%Y%m', old.day * 86400, 'unixepoch') AS INTEGER) AND user_id = old.user_id
    AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND tasks = 0;
END;
CREATE INDEX usage_by_day ON usage (day, user_id, model, outcome, key_id, tasks, paid, refunded);

-- What is in the bin, of each maker and of the team, the newest at the end.
CREATE INDEX tasks_binned_of_maker ON tasks (user_id, id, deleted_at) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
CREATE INDEX tasks_binned_of_team ON tasks (private) WHERE deleted_at IS NOT NULL AND purged_at IS NULL AND state = 'success' AND private = 0;

-- What the service has not begun, by maker.
CREATE INDEX tasks_unbegun ON tasks (user_id, id) WHERE state IN ('queued', 'sending', 'pending');

-- The gallery without filters is listed and counted from an index of little more than
-- ids. Starred videos are few, so their index has everything that a filter looks at.
CREATE INDEX gallery_of_team ON gallery (team);
DROP INDEX gallery_starred;
CREATE INDEX gallery_starred ON gallery (team, id, user_id, scene, aspect_ratio, model, created_at) WHERE starred = 1;
