-- What guests may do with a link, and what they are told. Links that exist keep their
-- downloads, and do not name who sent them until they are changed.
ALTER TABLE shares ADD COLUMN may TEXT NOT NULL DEFAULT 'look';
ALTER TABLE shares ADD COLUMN password TEXT NOT NULL DEFAULT ''; -- a hash; empty for none
ALTER TABLE shares ADD COLUMN download INTEGER NOT NULL DEFAULT 1;
ALTER TABLE shares ADD COLUMN takes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE shares ADD COLUMN welcome TEXT NOT NULL DEFAULT '';
ALTER TABLE shares ADD COLUMN named INTEGER NOT NULL DEFAULT 0;
