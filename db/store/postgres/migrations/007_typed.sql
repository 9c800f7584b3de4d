-- Forms that were sent without a session are limited per browser and in total, apart for
-- browsers that have signed in before and for strangers.
ALTER TABLE typed ADD COLUMN browser BYTEA NOT NULL DEFAULT '';   -- SHA-256 of the browser's token
ALTER TABLE typed ADD COLUMN counts_for BYTEA NOT NULL DEFAULT ''; -- whose limit it counts for: SHA-256 of the browser's token, or of a stranger's address
ALTER TABLE typed ADD COLUMN known BIGINT NOT NULL DEFAULT 0;     -- 1: the browser has signed in before
ALTER TABLE typed ADD COLUMN size BIGINT NOT NULL DEFAULT 0;      -- bytes
UPDATE typed SET size = length(form);
CREATE INDEX typed_by_owner ON typed (known, counts_for, size);
CREATE INDEX typed_by_browser ON typed (browser);
