-- The create calls that are under way: one for each key, whose name is the row's
-- own. It is there from before the call begins until its end is known.
CREATE TABLE create_calls (
  lane    TEXT COLLATE "C" PRIMARY KEY,
  task_id BIGINT NOT NULL UNIQUE REFERENCES tasks (id) ON DELETE CASCADE,
  process TEXT COLLATE "C" NOT NULL -- that makes the call
);

-- Work that one process does at a time, such as emptying the bin.
CREATE TABLE jobs (
  name         TEXT COLLATE "C" PRIMARY KEY,
  leased_by    TEXT COLLATE "C" NOT NULL, -- a process
  leased_until BIGINT NOT NULL
);

-- A process that is alone has what others would need in a folder of its own, and
-- is the only one. The first version, which does not know the column, always is.
ALTER TABLE processes ADD COLUMN alone BIGINT NOT NULL DEFAULT 1;

-- The oldest version of the program that works on these tables, counted in the
-- migrations that it knows.
ALTER TABLE schema_version ADD COLUMN oldest BIGINT NOT NULL DEFAULT 1;
