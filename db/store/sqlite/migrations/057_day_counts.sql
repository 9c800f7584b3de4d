-- How many of the videos that the whole team may see were ordered on each day, for the menu of
-- dates. Triggers keep them. On Postgres they are spread over several rows, because
-- transactions there write at the same time.
CREATE TABLE day_counts (
  day    INTEGER NOT NULL, -- in UTC, since 1970
  part   INTEGER NOT NULL,
  videos INTEGER NOT NULL,
  PRIMARY KEY (day, part)
) STRICT, WITHOUT ROWID;
INSERT INTO day_counts (day, part, videos)
SELECT created_at / 86400000, 0, count(*) FROM gallery WHERE team = 1 GROUP BY 1;

CREATE TRIGGER day_shown AFTER INSERT ON gallery WHEN new.team = 1 BEGIN
  INSERT INTO day_counts (day, part, videos) VALUES (new.created_at / 86400000, 0, 1)
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;
CREATE TRIGGER day_hidden AFTER DELETE ON gallery WHEN old.team = 1 BEGIN
  UPDATE day_counts SET videos = videos - 1 WHERE day = old.created_at / 86400000;
END;
CREATE TRIGGER day_change AFTER UPDATE OF team, created_at ON gallery
WHEN (old.team = 1 OR new.team = 1) AND (old.team <> new.team OR old.created_at / 86400000 <> new.created_at / 86400000) BEGIN
  UPDATE day_counts SET videos = videos - 1 WHERE old.team = 1 AND day = old.created_at / 86400000;
  INSERT INTO day_counts (day, part, videos) SELECT new.created_at / 86400000, 0, 1 WHERE new.team = 1
  ON CONFLICT DO UPDATE SET videos = videos + 1;
END;
