-- The index has only words. By what else a task is found is held in memory, by
-- each process, and follows the table changes.
DROP TRIGGER search_add;
DROP TRIGGER search_change;
DROP TRIGGER search_remove;
DROP TABLE search;
ALTER TABLE tasks DROP COLUMN facets;
ALTER TABLE tasks ADD COLUMN searched TEXT AS (coalesce(words, prompt));

-- Marks belong to words: in many scripts they are the vowels.
CREATE VIRTUAL TABLE search USING fts5 (
  searched,
  content = 'tasks', content_rowid = 'id',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M*'", prefix = '1 2 3 4 5 6 7 8'
);
INSERT INTO search (rowid, searched) SELECT id, searched FROM tasks ORDER BY id;

CREATE TRIGGER search_add AFTER INSERT ON tasks BEGIN
  INSERT INTO search (rowid, searched) VALUES (new.id, new.searched);
END;
CREATE TRIGGER search_change AFTER UPDATE ON tasks WHEN old.searched IS NOT new.searched BEGIN
  INSERT INTO search (search, rowid, searched) VALUES ('delete', old.id, old.searched);
  INSERT INTO search (rowid, searched) VALUES (new.id, new.searched);
END;
CREATE TRIGGER search_remove AFTER DELETE ON tasks BEGIN
  INSERT INTO search (search, rowid, searched) VALUES ('delete', old.id, old.searched);
END;

-- The newest changes of what a task is found by.
CREATE TABLE changes (
  seq     INTEGER PRIMARY KEY,
  task_id INTEGER NOT NULL
) STRICT;
CREATE TRIGGER change_bound AFTER INSERT ON changes BEGIN
  DELETE FROM changes WHERE seq <= new.seq - 10000;
END;
CREATE TRIGGER change_of_new AFTER INSERT ON tasks BEGIN
  INSERT INTO changes (task_id) VALUES (new.id);
END;
CREATE TRIGGER change_of_old AFTER UPDATE ON tasks
WHEN old.state <> new.state OR old.labels <> new.labels OR old.starred <> new.starred OR old.private <> new.private
  OR old.deleted_at IS NOT new.deleted_at OR old.purged_at IS NOT new.purged_at
  OR old.scene <> new.scene OR old.model <> new.model OR old.options <> new.options
  OR old.searched IS NOT new.searched BEGIN
  INSERT INTO changes (task_id) VALUES (new.id);
END;
CREATE TRIGGER change_of_gone AFTER DELETE ON tasks BEGIN
  INSERT INTO changes (task_id) VALUES (old.id);
END;

-- A task's labels follow its tags and collections.
CREATE VIEW task_labels (task_id, labels) AS
SELECT tasks.id, coalesce((
  SELECT group_concat(label, '') FROM (
    SELECT ' t' || hex(tags.name_key) AS label
    FROM task_tags JOIN tags ON tags.id = task_tags.tag_id WHERE task_tags.task_id = tasks.id
    UNION ALL
    SELECT ' k' || collection_id
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
