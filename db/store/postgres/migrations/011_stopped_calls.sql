-- When the key of a create call is free at the latest, because the process that makes
-- the call has stopped sending heartbeats; NULL while the process is known to run.
ALTER TABLE create_calls ADD COLUMN frees_at BIGINT;

-- The data folder in which the process works, and the lock that it holds on it. Both
-- are empty if they are not known.
ALTER TABLE processes ADD COLUMN folder TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE processes ADD COLUMN folder_lock TEXT COLLATE "C" NOT NULL DEFAULT '';
