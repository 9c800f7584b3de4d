-- A further version (see 015_versions.sql): "names" changes with the names of people and
-- tags, which searches look through.
CREATE FUNCTION version_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM new_version('names');
  RETURN NULL;
END $$;
CREATE TRIGGER version_user_name AFTER INSERT OR DELETE OR UPDATE OF id, name ON users FOR EACH STATEMENT EXECUTE FUNCTION version_names();
CREATE TRIGGER version_tag_name AFTER INSERT OR DELETE OR UPDATE OF id, name ON tags FOR EACH STATEMENT EXECUTE FUNCTION version_names();
