-- The facets again, with the new filters. Each begins with a private character
-- that no typed word can hold: u maker, s state, c scene, m model, r ratio,
-- f starred, v the whole team sees it, x its maker alone sees it though it is
-- finished, b in the bin, t tag, k collection. What is in the bin has nothing
-- but b, so that no filter has to leave it out.
DROP TRIGGER search_add;
DROP TRIGGER search_change;
DROP TRIGGER search_remove;
DROP TABLE search;
ALTER TABLE tasks DROP COLUMN facets;
ALTER TABLE tasks ADD COLUMN facets TEXT AS (
  CASE
    WHEN purged_at IS NOT NULL THEN ''
    WHEN deleted_at IS NOT NULL THEN
      char(57344) || 'b' || user_id || iif(private OR state <> 'success', '', ' ' || char(57344) || 'b')
    ELSE
      char(57344) || 'u' || user_id || ' ' || char(57344) || 's' || hex(state) || ' ' ||
      char(57344) || 'c' || hex(scene) || ' ' || char(57344) || 'm' || hex(model) || ' ' ||
      char(57344) || 'r' || hex(coalesce(options ->> '$.aspect_ratio', '')) ||
      iif(starred, ' ' || char(57344) || 'f', '') ||
      iif(state <> 'success', '', iif(private, ' ' || char(57344) || 'x' || user_id, ' ' || char(57344) || 'v')) ||
      labels
  END);
ALTER TABLE tasks ADD COLUMN searched TEXT AS (coalesce(words, prompt));

-- Marks belong to words: in many scripts they are the vowels.
CREATE VIRTUAL TABLE search USING fts5 (
  searched, facets,
  content = 'tasks', content_rowid = 'id',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co M*'", prefix = '1 2 3 4 5 6 7 8'
);
INSERT INTO search (rowid, searched, facets) SELECT id, searched, facets FROM tasks ORDER BY id;

-- The newest changes of what a task is found by, for those who hold a copy of
-- that in memory.
CREATE TABLE changes (
  seq     INTEGER PRIMARY KEY,
  task_id INTEGER NOT NULL
) STRICT;
CREATE TRIGGER change_add AFTER INSERT ON changes BEGIN
  DELETE FROM changes WHERE seq <= new.seq - 10000;
END;

CREATE TRIGGER search_add AFTER INSERT ON tasks BEGIN
  INSERT INTO search (rowid, searched, facets) VALUES (new.id, new.searched, new.facets);
  INSERT INTO changes (task_id) VALUES (new.id);
END;
CREATE TRIGGER search_change AFTER UPDATE ON tasks
WHEN old.searched IS NOT new.searched OR old.facets IS NOT new.facets BEGIN
  INSERT INTO search (search, rowid, searched, facets) VALUES ('delete', old.id, old.searched, old.facets);
  INSERT INTO search (rowid, searched, facets) VALUES (new.id, new.searched, new.facets);
  INSERT INTO changes (task_id) VALUES (new.id);
END;
CREATE TRIGGER search_remove AFTER DELETE ON tasks BEGIN
  INSERT INTO search (search, rowid, searched, facets) VALUES ('delete', old.id, old.searched, old.facets);
  INSERT INTO changes (task_id) VALUES (old.id);
END;

-- A task's labels follow its tags and collections.
CREATE VIEW task_labels (task_id, labels) AS
SELECT tasks.id, coalesce((
  SELECT group_concat(label, '') FROM (
    SELECT ' ' || char(57344) || 't' || hex(tags.name_key) AS label
    FROM task_tags JOIN tags ON tags.id = task_tags.tag_id WHERE task_tags.task_id = tasks.id
    UNION ALL
    SELECT ' ' || char(57344) || 'k' || collection_id
    FROM collection_tasks WHERE collection_tasks.task_id = tasks.id)), '')
FROM tasks;
CREATE TRIGGER tag_add AFTER INSERT ON task_tags BEGIN
  UPDATE tasks SET labels = (SELECT labels FROM task_labels WHERE task_id = new.task_id) WHERE id = new.task_id;
END;
CREATE TRIGGER tag_remove AFTER DELETE ON task_tags BEGIN
  UPDATE tasks SET labels = (SELECT labels FROM task_labels WHERE task_id = old.task_id) WHERE id = old.task_id;
END;
CREATE TRIGGER collection_add AFTER INSERT ON collection_tasks BEGIN
  UPDATE tasks SET labels = (SELECT labels FROM task_labels WHERE task_id = new.task_id) WHERE id = new.task_id;
END;
CREATE TRIGGER collection_remove AFTER DELETE ON collection_tasks BEGIN
  UPDATE tasks SET labels = (SELECT labels FROM task_labels WHERE task_id = old.task_id) WHERE id = old.task_id;
END;
