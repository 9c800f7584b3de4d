-- How a finished video is copied here.

-- The host that the next copy is made from, so that those of one host leave
-- places for the others. Empty for what was finished before this column was
-- there; the first attempt fills it in.
ALTER TABLE tasks ADD COLUMN copy_host TEXT NOT NULL DEFAULT '';

-- Since when every attempt to copy has failed; NULL where none has.
ALTER TABLE tasks ADD COLUMN failing_since INTEGER;

DROP INDEX tasks_keep;
CREATE INDEX tasks_keep ON tasks (user_id, copy_host, next_at, id, leased_until) WHERE keeping = 'saving';

-- For how long videos of a kind have been running, beside how long they took.
CREATE INDEX tasks_under_way ON tasks (model, scene, duration, resolution, sent_at) WHERE state IN ('pending', 'processing');
