-- When the key of a create call is free at the latest, because the process that makes
-- the call has stopped sending heartbeats; NULL while the process is known to run.
ALTER TABLE create_calls ADD COLUMN frees_at INTEGER;
