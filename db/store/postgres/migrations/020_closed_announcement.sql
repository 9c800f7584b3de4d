-- The announcement that a person has closed, so that their pages do not show it again.
ALTER TABLE users ADD COLUMN closed_announcement TEXT NOT NULL DEFAULT '';
