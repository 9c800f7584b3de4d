-- How many attempts to guess a password or a link are left, by a keyed hash of
-- the name under which they are counted. Where there is no row, all of them are.
CREATE TABLE attempts (
  name    BYTEA PRIMARY KEY,
  full_at BIGINT NOT NULL -- when all attempts are there again
);
CREATE INDEX attempts_over ON attempts (full_at);
