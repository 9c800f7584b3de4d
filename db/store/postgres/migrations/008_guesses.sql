-- How many wrong guesses at a code or a password were made lately, by a keyed hash of
-- the name under which they are counted. The pause before the next one grows with them.
CREATE TABLE guesses (
  name  BYTEA PRIMARY KEY,
  wrong BIGINT NOT NULL,
  at    BIGINT NOT NULL -- when the last one was made
);
CREATE INDEX guesses_age ON guesses (at);
