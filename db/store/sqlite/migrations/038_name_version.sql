-- A further version (see 029_versions.sql): "names" changes with the names of people and
-- tags, which searches look through.
CREATE TRIGGER version_user_add_name AFTER INSERT ON users BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_user_change_name AFTER UPDATE OF id, name ON users WHEN (old.id, old.name) IS NOT (new.id, new.name) BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_user_remove_name AFTER DELETE ON users BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_tag_add_name AFTER INSERT ON tags BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_tag_change_name AFTER UPDATE OF id, name ON tags WHEN (old.id, old.name) IS NOT (new.id, new.name) BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
CREATE TRIGGER version_tag_remove_name AFTER DELETE ON tags BEGIN
  INSERT INTO versions (name, stamp) VALUES ('names', abs(random() % 1000000000000000)) ON CONFLICT DO UPDATE SET stamp = excluded.stamp;
END;
