-- A title that the team gives a video. Where there is one, words holds it
-- together with the prompt, so both are found.
ALTER TABLE tasks ADD COLUMN title TEXT NOT NULL DEFAULT '';
