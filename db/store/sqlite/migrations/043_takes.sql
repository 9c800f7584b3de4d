-- Videos that are takes of one another have the same stack, which is the ID of one of them.
ALTER TABLE tasks ADD COLUMN stack INTEGER REFERENCES tasks (id);

-- Videos of one press, except for the rows of a table, which differ, and the lines of a list.
CREATE TABLE stacking (id INTEGER PRIMARY KEY, stack INTEGER NOT NULL) STRICT;
INSERT INTO stacking (id, stack)
SELECT id, min(id) OVER press FROM tasks
WHERE batch <> '' AND form_token NOT LIKE '% row %'
  AND NOT (parent_id IS NOT NULL AND bond IN ('everything', 'unseeded', 'final', 'retry'))
WINDOW press AS (PARTITION BY batch, prompt, pictures, iif(form_token LIKE '% line %', rtrim(form_token, '0123456789'), ''));

-- Videos that were made again, in the stack of the first one.
INSERT INTO stacking (id, stack)
WITH RECURSIVE take (id, stack) AS (
  SELECT t.id, coalesce(s.stack, t.id) FROM tasks t LEFT JOIN stacking s ON s.id = t.id
  WHERE NOT (t.parent_id IS NOT NULL AND t.bond IN ('everything', 'unseeded', 'final', 'retry'))
    AND EXISTS (SELECT 1 FROM tasks c WHERE c.parent_id = t.id AND c.bond IN ('everything', 'unseeded', 'final', 'retry'))
  UNION ALL
  SELECT c.id, take.stack FROM take JOIN tasks c ON c.parent_id = take.id
  WHERE c.bond IN ('everything', 'unseeded', 'final', 'retry') AND c.id > take.id
)
SELECT id, stack FROM take WHERE TRUE ON CONFLICT (id) DO NOTHING;

UPDATE tasks SET stack = (SELECT s.stack FROM stacking s WHERE s.id = tasks.id)
WHERE id IN (SELECT id FROM stacking WHERE stack IN (SELECT stack FROM stacking GROUP BY stack HAVING count(*) > 1));
DROP TABLE stacking;
CREATE INDEX tasks_of_stack ON tasks (stack) WHERE stack IS NOT NULL;

-- Takes that the team has shown on a link that does not show other takes by itself.
CREATE TABLE shared_takes (
  share_id INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  task_id  INTEGER NOT NULL REFERENCES tasks (id),
  shown_at INTEGER NOT NULL,
  PRIMARY KEY (share_id, task_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX shared_takes_of_task ON shared_takes (task_id);

-- Takes that were made to answer notes on another one.
CREATE TABLE note_takes (
  note_id INTEGER NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
  task_id INTEGER NOT NULL REFERENCES tasks (id),
  PRIMARY KEY (note_id, task_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX note_takes_of_task ON note_takes (task_id);
