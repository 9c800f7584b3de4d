-- Which marks of its origin a video carries (empty until its file has been read), and the
-- hash of the file as the service delivered it, if a label was added (empty otherwise).
ALTER TABLE media ADD COLUMN marks TEXT NOT NULL DEFAULT '';
ALTER TABLE media ADD COLUMN served_hash TEXT NOT NULL DEFAULT '';
