-- Whether videos that a person opens wait to be played.
ALTER TABLE users ADD COLUMN still BIGINT NOT NULL DEFAULT 0;
