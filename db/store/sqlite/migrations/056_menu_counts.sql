-- What the menus of the gallery count, of the videos that the whole team may see: by scene,
-- model and aspect ratio together, by maker, by tag and by member of the cast. Triggers keep
-- them. On Postgres the first are spread over several rows, because transactions there write
-- at the same time.
CREATE TABLE kind_counts (
  scene        TEXT NOT NULL,
  model        TEXT NOT NULL,
  aspect_ratio TEXT NOT NULL,
  part         INTEGER NOT NULL,
  videos       INTEGER NOT NULL,
  PRIMARY KEY (scene, model, aspect_ratio, part)
) STRICT, WITHOUT ROWID;
CREATE TABLE maker_counts (
  user_id INTEGER PRIMARY KEY,
  videos  INTEGER NOT NULL
) STRICT;
CREATE TABLE tag_counts (
  tag_id INTEGER PRIMARY KEY,
  videos INTEGER NOT NULL
) STRICT;
CREATE TABLE cast_counts (
  member_id INTEGER PRIMARY KEY,
  videos    INTEGER NOT NULL
) STRICT;
INSERT INTO kind_counts (scene, model, aspect_ratio, part, videos)
SELECT scene, model, aspect_ratio, 0, count(*) FROM gallery WHERE team = 1 GROUP BY scene, model, aspect_ratio;
INSERT INTO maker_counts (user_id, videos)
SELECT user_id, count(*) FROM gallery WHERE team = 1 GROUP BY user_id;
INSERT INTO tag_counts (tag_id, videos)
SELECT l.tag_id, count(*) FROM task_tags l JOIN gallery g ON g.id = l.task_id WHERE g.team = 1 GROUP BY l.tag_id;
INSERT INTO cast_counts (member_id, videos)
SELECT l.member_id, count(*) FROM task_cast l JOIN gallery g ON g.id = l.task_id WHERE g.team = 1 GROUP BY l.member_id;

CREATE TRIGGER menu_shown AFTER INSERT ON gallery WHEN new.team = 1 BEGIN
  INSERT INTO kind_counts (scene, model, aspect_ratio, part, videos) VALUES (new.scene, new.model, new.aspect_ratio, 0, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO maker_counts (user_id, videos) VALUES (new.user_id, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO tag_counts (tag_id, videos) SELECT tag_id, 1 FROM task_tags WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO cast_counts (member_id, videos) SELECT member_id, 1 FROM task_cast WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;
CREATE TRIGGER menu_hidden AFTER DELETE ON gallery WHEN old.team = 1 BEGIN
  UPDATE kind_counts SET videos = videos - 1
  WHERE scene = old.scene AND model = old.model AND aspect_ratio = old.aspect_ratio AND part = 0;
  UPDATE maker_counts SET videos = videos - 1 WHERE user_id = old.user_id;
  UPDATE tag_counts SET videos = videos - 1 WHERE tag_id IN (SELECT tag_id FROM task_tags WHERE task_id = old.id);
  UPDATE cast_counts SET videos = videos - 1 WHERE member_id IN (SELECT member_id FROM task_cast WHERE task_id = old.id);
END;
CREATE TRIGGER menu_change_shown AFTER UPDATE OF team ON gallery WHEN old.team <> 1 AND new.team = 1 BEGIN
  INSERT INTO kind_counts (scene, model, aspect_ratio, part, videos) VALUES (new.scene, new.model, new.aspect_ratio, 0, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO maker_counts (user_id, videos) VALUES (new.user_id, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO tag_counts (tag_id, videos) SELECT tag_id, 1 FROM task_tags WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  INSERT INTO cast_counts (member_id, videos) SELECT member_id, 1 FROM task_cast WHERE task_id = new.id
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;
CREATE TRIGGER menu_change_hidden AFTER UPDATE OF team ON gallery WHEN old.team = 1 AND new.team <> 1 BEGIN
  UPDATE kind_counts SET videos = videos - 1
  WHERE scene = old.scene AND model = old.model AND aspect_ratio = old.aspect_ratio AND part = 0;
  UPDATE maker_counts SET videos = videos - 1 WHERE user_id = old.user_id;
  UPDATE tag_counts SET videos = videos - 1 WHERE tag_id IN (SELECT tag_id FROM task_tags WHERE task_id = new.id);
  UPDATE cast_counts SET videos = videos - 1 WHERE member_id IN (SELECT member_id FROM task_cast WHERE task_id = new.id);
END;
CREATE TRIGGER menu_edit AFTER UPDATE OF user_id, scene, model, aspect_ratio ON gallery
WHEN old.team = 1 AND new.team = 1 AND (old.user_id <> new.user_id OR old.scene <> new.scene
  OR old.model <> new.model OR old.aspect_ratio <> new.aspect_ratio) BEGIN
  UPDATE kind_counts SET videos = videos - 1
  WHERE scene = old.scene AND model = old.model AND aspect_ratio = old.aspect_ratio AND part = 0;
  INSERT INTO kind_counts (scene, model, aspect_ratio, part, videos) VALUES (new.scene, new.model, new.aspect_ratio, 0, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
  UPDATE maker_counts SET videos = videos - 1 WHERE user_id = old.user_id;
  INSERT INTO maker_counts (user_id, videos) VALUES (new.user_id, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;
CREATE TRIGGER menu_tag_add AFTER INSERT ON task_tags WHEN (SELECT team FROM gallery WHERE id = new.task_id) = 1 BEGIN
  INSERT INTO tag_counts (tag_id, videos) VALUES (new.tag_id, 1) ON CONFLICT DO UPDATE SET videos = videos + 1;
END;
CREATE TRIGGER menu_tag_remove AFTER DELETE ON task_tags WHEN (SELECT team FROM gallery WHERE id = old.task_id) = 1 BEGIN
  UPDATE tag_counts SET videos = videos - 1 WHERE tag_id = old.tag_id;
END;
CREATE TRIGGER menu_tag_gone AFTER DELETE ON tags BEGIN
  DELETE FROM tag_counts WHERE tag_id = old.id;
END;
CREATE TRIGGER menu_cast_add AFTER INSERT ON task_cast WHEN (SELECT team FROM gallery WHERE id = new.task_id) = 1 BEGIN
  INSERT INTO cast_counts (member_id, videos) VALUES (new.member_id, 1) ON CONFLICT DO UPDATE SET videos = videos + 1;
END;
CREATE TRIGGER menu_cast_remove AFTER DELETE ON task_cast WHEN (SELECT team FROM gallery WHERE id = old.task_id) = 1 BEGIN
  UPDATE cast_counts SET videos = videos - 1 WHERE member_id = old.member_id;
END;
