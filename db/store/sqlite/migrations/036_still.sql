-- Whether videos that a person opens wait to be played.
ALTER TABLE users ADD COLUMN still INTEGER NOT NULL DEFAULT 0;
