-- Videos that may or may not have been made and wait for a decision, for the metrics.
CREATE INDEX tasks_unconfirmed ON tasks (id) WHERE state = 'unconfirmed' AND decided_at IS NULL;
