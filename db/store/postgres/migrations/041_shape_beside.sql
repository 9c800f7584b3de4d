-- Processes of the previous version go on beside this one. When they change a video, they write
-- its options without what its aspect ratio follows, which they do not know.
CREATE FUNCTION keep_shape() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.options = old.options;
  RETURN new;
END $$;
CREATE TRIGGER keep_shape BEFORE UPDATE OF options ON tasks FOR EACH ROW
  WHEN (old.options LIKE '%"shape":%' AND new.options NOT LIKE '%"shape":%'
    AND CAST(old.options AS jsonb) - 'shape' = CAST(new.options AS jsonb)) EXECUTE FUNCTION keep_shape();
