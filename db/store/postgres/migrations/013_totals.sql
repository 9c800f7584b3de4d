-- Totals that pages show. Triggers keep them, so that no page has to add up or walk
-- all rows of a table.

-- The bytes of all stored files, in several rows, because transactions that store the
-- files of different videos run at the same time. All files of a task count in one row.
CREATE TABLE kept_bytes (
  part  BIGINT PRIMARY KEY,
  bytes BIGINT NOT NULL
);
INSERT INTO kept_bytes (part, bytes)
SELECT part, 0 FROM generate_series(0, 15) AS part;
UPDATE kept_bytes SET bytes = (SELECT coalesce(sum(size), 0) FROM media WHERE task_id % 16 = part)
  + (SELECT coalesce(sum(size), 0) FROM pictures WHERE user_id % 16 = part);
CREATE FUNCTION count_bytes(of_part bigint, more bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF more <> 0 THEN
    INSERT INTO kept_bytes (part, bytes) VALUES (of_part % 16, more)
    ON CONFLICT (part) DO UPDATE SET bytes = kept_bytes.bytes + excluded.bytes;
  END IF;
END $$;
CREATE FUNCTION media_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM count_bytes(old.task_id, -old.size); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM count_bytes(new.task_id, new.size); END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION picture_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN PERFORM count_bytes(old.user_id, -old.size); END IF;
  IF TG_OP <> 'DELETE' THEN PERFORM count_bytes(new.user_id, new.size); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER media_counted AFTER INSERT OR DELETE ON media FOR EACH ROW EXECUTE FUNCTION media_counted();
CREATE TRIGGER media_recounted AFTER UPDATE OF size, task_id ON media FOR EACH ROW
  WHEN (old.size <> new.size OR old.task_id <> new.task_id) EXECUTE FUNCTION media_counted();
CREATE TRIGGER picture_counted AFTER INSERT OR DELETE ON pictures FOR EACH ROW EXECUTE FUNCTION picture_counted();
CREATE TRIGGER picture_recounted AFTER UPDATE OF size, user_id ON pictures FOR EACH ROW
  WHEN (old.size <> new.size OR old.user_id <> new.user_id) EXECUTE FUNCTION picture_counted();

-- How many videos of a collection are in the gallery: those that the whole team may
-- see under user_id 0, and those that only their maker may see under the maker.
CREATE TABLE collection_counts (
  collection_id BIGINT NOT NULL,
  user_id       BIGINT NOT NULL,
  videos        BIGINT NOT NULL,
  PRIMARY KEY (collection_id, user_id)
);
INSERT INTO collection_counts (collection_id, user_id, videos)
SELECT k.collection_id, CASE WHEN g.team = 1 THEN 0 ELSE g.user_id END AS seen_by, count(*)
FROM collection_tasks k JOIN gallery g ON g.id = k.task_id
GROUP BY k.collection_id, seen_by;
CREATE FUNCTION count_collected(of_collection bigint, of_user bigint, more bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO collection_counts (collection_id, user_id, videos) VALUES (of_collection, of_user, more)
  ON CONFLICT (collection_id, user_id) DO UPDATE SET videos = collection_counts.videos + excluded.videos;
END $$;
CREATE FUNCTION collected_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM count_collected(new.collection_id, CASE WHEN team = 1 THEN 0 ELSE user_id END, 1) FROM gallery WHERE id = new.task_id;
  ELSE
    UPDATE collection_counts SET videos = videos - 1
    WHERE collection_id = old.collection_id
      AND user_id = (SELECT CASE WHEN team = 1 THEN 0 ELSE user_id END FROM gallery WHERE id = old.task_id);
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION gallery_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM count_collected(collection_id, CASE WHEN old.team = 1 THEN 0 ELSE old.user_id END, -1)
    FROM collection_tasks WHERE task_id = old.id ORDER BY collection_id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM count_collected(collection_id, CASE WHEN new.team = 1 THEN 0 ELSE new.user_id END, 1)
    FROM collection_tasks WHERE task_id = new.id ORDER BY collection_id;
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION collection_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM collection_counts WHERE collection_id = old.id;
  RETURN NULL;
END $$;
CREATE TRIGGER collected_changed AFTER INSERT OR DELETE ON collection_tasks FOR EACH ROW EXECUTE FUNCTION collected_changed();
CREATE TRIGGER gallery_counted AFTER INSERT OR DELETE ON gallery FOR EACH ROW EXECUTE FUNCTION gallery_counted();
CREATE TRIGGER gallery_recounted AFTER UPDATE OF team, user_id ON gallery FOR EACH ROW
  WHEN (old.team <> new.team OR old.user_id <> new.user_id) EXECUTE FUNCTION gallery_counted();
CREATE TRIGGER collection_gone AFTER DELETE ON collections FOR EACH ROW EXECUTE FUNCTION collection_gone();

-- The table usage, by month (such as 202611) instead of by day.
CREATE TABLE usage_months (
  month    BIGINT NOT NULL,
  user_id  BIGINT NOT NULL,
  model    TEXT COLLATE "C" NOT NULL,
  outcome  TEXT COLLATE "C" NOT NULL,
  key_id   BIGINT NOT NULL,
  tasks    BIGINT NOT NULL,
  paid     BIGINT NOT NULL, -- thousandths
  refunded BIGINT NOT NULL,
  PRIMARY KEY (month, user_id, model, outcome, key_id)
);
INSERT INTO usage_months (month, user_id, model, outcome, key_id, tasks, paid, refunded)
SELECT month_of(day), user_id, model, outcome, key_id, sum(tasks), sum(paid), sum(refunded)
FROM usage GROUP BY 1, 2, 3, 4, 5;
CREATE FUNCTION usage_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO usage_months (month, user_id, model, outcome, key_id, tasks, paid, refunded)
    VALUES (month_of(new.day), new.user_id, new.model, new.outcome, new.key_id, new.tasks, new.paid, new.refunded)
    ON CONFLICT (month, user_id, model, outcome, key_id) DO UPDATE SET tasks = usage_months.tasks + excluded.tasks,
      paid = usage_months.paid + excluded.paid, refunded = usage_months.refunded + excluded.refunded;
  ELSIF TG_OP = 'UPDATE' THEN
    UPDATE usage_months SET tasks = tasks + new.tasks - old.tasks, paid = paid + new.paid - old.paid, refunded = refunded + new.refunded - old.refunded
    WHERE month = month_of(new.day) AND user_id = new.user_id AND model = new.model AND outcome = new.outcome AND key_id = new.key_id;
  ELSE
    UPDATE usage_months SET tasks = tasks - old.tasks, paid = paid - old.paid, refunded = refunded - old.refunded
    WHERE month = month_of(old.day) AND user_id = old.user_id AND model = old.model AND outcome = old.outcome AND key_id = old.key_id;
    DELETE FROM usage_months
    WHERE month = month_of(old.day) AND user_id = old.user_id AND model = old.model AND outcome = old.outcome AND key_id = old.key_id AND tasks = 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_counted AFTER INSERT OR UPDATE OR DELETE ON usage FOR EACH ROW EXECUTE FUNCTION usage_counted();
CREATE INDEX usage_by_day ON usage (day);

-- What is in the bin, of each maker and of the team, the newest at the end.
CREATE INDEX tasks_binned_of_maker ON tasks (user_id, id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
CREATE INDEX tasks_binned_of_team ON tasks (id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL AND state = 'success' AND private = 0;

-- What the service has not begun, by maker.
CREATE INDEX tasks_unbegun ON tasks (user_id, id) WHERE state IN ('queued', 'sending', 'pending');
