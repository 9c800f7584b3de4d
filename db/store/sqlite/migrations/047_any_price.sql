-- Whether the program accepts any price of the video: then no charge stops its token.
ALTER TABLE program_tasks ADD COLUMN any_price INTEGER NOT NULL DEFAULT 0;
