-- The create calls that are under way: one for each key, whose name is the row's
-- own. It is there from before the call begins until its end is known.
CREATE TABLE create_calls (
  lane    TEXT PRIMARY KEY,
  task_id INTEGER NOT NULL UNIQUE REFERENCES tasks (id) ON DELETE CASCADE,
  process TEXT NOT NULL -- that makes the call
) STRICT, WITHOUT ROWID;

-- Work that one process does at a time, such as emptying the bin.
CREATE TABLE jobs (
  name         TEXT PRIMARY KEY,
  leased_by    TEXT NOT NULL, -- a process
  leased_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
