-- What a storyline keeps of a scene, and where the scene stands in it. One without
-- a row is shown whole, after those that have one.
CREATE TABLE cuts (
	task_id INTEGER PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
	place   INTEGER NOT NULL,
	start   INTEGER NOT NULL, -- the first frame that is kept, counted from 0
	finish  INTEGER NOT NULL  -- the frame after the last one; 0 means the end of the video
) STRICT;
