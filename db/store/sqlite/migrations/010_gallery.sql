-- The gallery is listed, filtered and counted from a narrow table beside the
-- tasks. The in-memory copy that followed the table changes is gone, and with
-- it the labels, a task's tags and collections as one text.
DROP TRIGGER change_of_new;
DROP TRIGGER change_of_old;
DROP TRIGGER change_of_gone;
DROP TRIGGER change_bound;
DROP TABLE changes;
DROP TRIGGER tag_add;
DROP TRIGGER tag_remove;
DROP TRIGGER collection_add;
DROP TRIGGER collection_remove;
DROP TRIGGER collection_binned;
DROP VIEW task_labels;
ALTER TABLE tasks DROP COLUMN labels;

-- The shape of the video.
ALTER TABLE tasks ADD COLUMN aspect_ratio TEXT NOT NULL AS (coalesce(options ->> '$.aspect_ratio', ''));

-- Whether the whole team may see the video; see db.Task.VisibleTo.
ALTER TABLE tasks ADD COLUMN team INTEGER NOT NULL AS (state = 'success' AND private = 0 AND deleted_at IS NULL);

-- Every task that is not in the bin. The triggers below keep it.
CREATE TABLE gallery (
  id           INTEGER PRIMARY KEY, -- of the task
  user_id      INTEGER NOT NULL,
  team         INTEGER NOT NULL,
  starred      INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  state        TEXT NOT NULL,
  scene        TEXT NOT NULL,
  aspect_ratio TEXT NOT NULL,
  model        TEXT NOT NULL
) STRICT;
INSERT INTO gallery (id, user_id, team, starred, created_at, state, scene, aspect_ratio, model)
SELECT id, user_id, team, starred, created_at, state, scene, aspect_ratio, model
FROM tasks WHERE deleted_at IS NULL ORDER BY id;

-- Each lists its rows by id, the newest first when read from its end.
CREATE INDEX gallery_by_maker ON gallery (user_id, team);
CREATE INDEX gallery_by_scene ON gallery (scene, team);
CREATE INDEX gallery_by_ratio ON gallery (aspect_ratio, team);
CREATE INDEX gallery_by_model ON gallery (model, team);
CREATE INDEX gallery_by_state ON gallery (user_id, state) WHERE team = 0;
CREATE INDEX gallery_starred ON gallery (starred) WHERE starred = 1;

CREATE TRIGGER gallery_add AFTER INSERT ON tasks WHEN new.deleted_at IS NULL BEGIN
  INSERT INTO gallery (id, user_id, team, starred, created_at, state, scene, aspect_ratio, model)
  VALUES (new.id, new.user_id, new.team, new.starred, new.created_at, new.state, new.scene, new.aspect_ratio, new.model);
END;
CREATE TRIGGER gallery_remove AFTER DELETE ON tasks BEGIN
  DELETE FROM gallery WHERE id = old.id;
END;
CREATE TRIGGER gallery_bin AFTER UPDATE OF deleted_at ON tasks
WHEN (old.deleted_at IS NULL) <> (new.deleted_at IS NULL) BEGIN
  DELETE FROM gallery WHERE id = new.id;
  INSERT INTO gallery (id, user_id, team, starred, created_at, state, scene, aspect_ratio, model)
  SELECT id, user_id, team, starred, created_at, state, scene, aspect_ratio, model
  FROM tasks WHERE id = new.id AND deleted_at IS NULL;
END;
-- What changes often, apart from what hardly ever does: an UPDATE writes every
-- index of the columns that it names.
CREATE TRIGGER gallery_change AFTER UPDATE OF state, private, starred ON tasks
WHEN old.state <> new.state OR old.private <> new.private OR old.starred <> new.starred BEGIN
  UPDATE gallery SET state = new.state, team = new.team, starred = new.starred WHERE id = new.id;
END;
CREATE TRIGGER gallery_edit AFTER UPDATE OF user_id, created_at, scene, model, options ON tasks
WHEN old.user_id <> new.user_id OR old.created_at <> new.created_at OR old.scene <> new.scene
  OR old.model <> new.model OR old.aspect_ratio <> new.aspect_ratio BEGIN
  UPDATE gallery SET user_id = new.user_id, created_at = new.created_at, scene = new.scene, model = new.model,
    aspect_ratio = new.aspect_ratio
  WHERE id = new.id;
END;
