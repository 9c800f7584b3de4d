-- When making started, as far as queries showed. Older videos are not measured.
ALTER TABLE tasks ADD COLUMN making_at INTEGER;

-- Rows of a table and lines of a list: single videos of their maker are sent first.
ALTER TABLE tasks ADD COLUMN bulk INTEGER NOT NULL DEFAULT 0;
UPDATE tasks SET bulk = 1 WHERE state = 'queued' AND batch <> '' AND (form_token LIKE '% row %' OR form_token LIKE '% line %');

-- How many single videos of the person have been sent since the last row of a batch.
ALTER TABLE turns ADD COLUMN passed INTEGER NOT NULL DEFAULT 0;

DROP INDEX tasks_queued_of_service;
CREATE INDEX tasks_queued_of_service ON tasks (service_id, user_id, bulk, id, next_at, leased_until) WHERE state = 'queued';
DROP INDEX tasks_unbegun;
CREATE INDEX tasks_unbegun ON tasks (user_id, state, id) WHERE state IN ('queued', 'sending', 'pending');
DROP INDEX tasks_usual;
CREATE INDEX tasks_usual ON tasks (service_id, model, scene, duration, resolution, done_at, making_at) WHERE state = 'success' AND making_at IS NOT NULL;
CREATE INDEX tasks_ended ON tasks (service_id, done_at, key_id) WHERE making_at IS NOT NULL AND done_at IS NOT NULL;
