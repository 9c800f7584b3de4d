-- A link may show the storyline of its video. A scene may be left out of its storyline.
ALTER TABLE shares ADD COLUMN story BIGINT NOT NULL DEFAULT 0;
ALTER TABLE cuts ADD COLUMN left_out BIGINT NOT NULL DEFAULT 0;
