-- What the menus of the gallery count, of the videos that the whole team may see: by scene,
-- model and aspect ratio together, by maker, by tag and by member of the cast. Triggers keep
-- them, also while a process of the previous version writes. The first are spread over several
-- rows, because transactions that end videos of the same kind run at the same time.
CREATE TABLE kind_counts (
  scene        TEXT COLLATE "C" NOT NULL,
  model        TEXT COLLATE "C" NOT NULL,
  aspect_ratio TEXT COLLATE "C" NOT NULL,
  part         BIGINT NOT NULL,
  videos       BIGINT NOT NULL,
  PRIMARY KEY (scene, model, aspect_ratio, part)
);
CREATE TABLE maker_counts (
  user_id BIGINT PRIMARY KEY,
  videos  BIGINT NOT NULL
);
CREATE TABLE tag_counts (
  tag_id BIGINT PRIMARY KEY,
  videos BIGINT NOT NULL
);
CREATE TABLE cast_counts (
  member_id BIGINT PRIMARY KEY,
  videos    BIGINT NOT NULL
);
INSERT INTO kind_counts (scene, model, aspect_ratio, part, videos)
SELECT scene, model, aspect_ratio, id % 16, count(*) FROM gallery WHERE team = 1 GROUP BY 1, 2, 3, 4;
INSERT INTO maker_counts (user_id, videos)
SELECT user_id, count(*) FROM gallery WHERE team = 1 GROUP BY user_id;
INSERT INTO tag_counts (tag_id, videos)
SELECT l.tag_id, count(*) FROM task_tags l JOIN gallery g ON g.id = l.task_id WHERE g.team = 1 GROUP BY l.tag_id;
INSERT INTO cast_counts (member_id, videos)
SELECT l.member_id, count(*) FROM task_cast l JOIN gallery g ON g.id = l.task_id WHERE g.team = 1 GROUP BY l.member_id;

CREATE FUNCTION count_menu(of_id bigint, of_maker bigint, of_scene text, of_model text, of_ratio text, more bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kind_counts (scene, model, aspect_ratio, part, videos) VALUES (of_scene, of_model, of_ratio, of_id % 16, more)
  ON CONFLICT (scene, model, aspect_ratio, part) DO UPDATE SET videos = kind_counts.videos + excluded.videos;
  INSERT INTO maker_counts (user_id, videos) VALUES (of_maker, more)
  ON CONFLICT (user_id) DO UPDATE SET videos = maker_counts.videos + excluded.videos;
END $$;
CREATE FUNCTION count_filed(of_task bigint, more bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tag_counts (tag_id, videos) SELECT tag_id, more FROM task_tags WHERE task_id = of_task ORDER BY tag_id
  ON CONFLICT (tag_id) DO UPDATE SET videos = tag_counts.videos + excluded.videos;
  INSERT INTO cast_counts (member_id, videos) SELECT member_id, more FROM task_cast WHERE task_id = of_task ORDER BY member_id
  ON CONFLICT (member_id) DO UPDATE SET videos = cast_counts.videos + excluded.videos;
END $$;
CREATE FUNCTION menu_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was bigint := 0; -- whether the menus counted it before, and whether they do now
  now bigint := 0;
BEGIN
  IF TG_OP <> 'INSERT' THEN was := old.team; END IF;
  IF TG_OP <> 'DELETE' THEN now := new.team; END IF;
  IF was = 1 THEN PERFORM count_menu(old.id, old.user_id, old.scene, old.model, old.aspect_ratio, -1); END IF;
  IF now = 1 THEN PERFORM count_menu(new.id, new.user_id, new.scene, new.model, new.aspect_ratio, 1); END IF;
  IF was = 1 AND now <> 1 THEN PERFORM count_filed(old.id, -1); END IF;
  IF now = 1 AND was <> 1 THEN PERFORM count_filed(new.id, 1); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION menu_tag_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO tag_counts (tag_id, videos) SELECT new.tag_id, 1 FROM gallery WHERE id = new.task_id AND team = 1
    ON CONFLICT (tag_id) DO UPDATE SET videos = tag_counts.videos + 1;
  ELSE
    UPDATE tag_counts SET videos = videos - 1
    WHERE tag_id = old.tag_id AND EXISTS (SELECT 1 FROM gallery WHERE id = old.task_id AND team = 1);
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION menu_cast_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO cast_counts (member_id, videos) SELECT new.member_id, 1 FROM gallery WHERE id = new.task_id AND team = 1
    ON CONFLICT (member_id) DO UPDATE SET videos = cast_counts.videos + 1;
  ELSE
    UPDATE cast_counts SET videos = videos - 1
    WHERE member_id = old.member_id AND EXISTS (SELECT 1 FROM gallery WHERE id = old.task_id AND team = 1);
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION menu_tag_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM tag_counts WHERE tag_id = old.id;
  RETURN NULL;
END $$;
CREATE TRIGGER menu_counted AFTER INSERT OR DELETE ON gallery FOR EACH ROW EXECUTE FUNCTION menu_counted();
CREATE TRIGGER menu_recounted AFTER UPDATE OF team, user_id, scene, model, aspect_ratio ON gallery FOR EACH ROW
  WHEN ((old.team, old.user_id, old.scene, old.model, old.aspect_ratio) <> (new.team, new.user_id, new.scene, new.model, new.aspect_ratio))
  EXECUTE FUNCTION menu_counted();
CREATE TRIGGER menu_tag_counted AFTER INSERT OR DELETE ON task_tags FOR EACH ROW EXECUTE FUNCTION menu_tag_counted();
CREATE TRIGGER menu_cast_counted AFTER INSERT OR DELETE ON task_cast FOR EACH ROW EXECUTE FUNCTION menu_cast_counted();
CREATE TRIGGER menu_tag_gone AFTER DELETE ON tags FOR EACH ROW EXECUTE FUNCTION menu_tag_gone();
