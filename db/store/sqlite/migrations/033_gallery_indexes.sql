-- With a second filter, these indexes led to a look-up in the gallery for each video.
-- They now have the columns of the other filters too; a star, which is set often, has an
-- index of its own.
DROP INDEX gallery_by_maker;
CREATE INDEX gallery_by_maker ON gallery (user_id, team, id, scene, aspect_ratio, model, created_at);
DROP INDEX gallery_by_scene;
CREATE INDEX gallery_by_scene ON gallery (scene, team, id, user_id, aspect_ratio, model, created_at);
DROP INDEX gallery_by_ratio;
CREATE INDEX gallery_by_ratio ON gallery (aspect_ratio, team, id, user_id, scene, model, created_at);
DROP INDEX gallery_by_model;
CREATE INDEX gallery_by_model ON gallery (model, team, id, user_id, scene, aspect_ratio, created_at);
DROP INDEX gallery_by_state;
CREATE INDEX gallery_by_state ON gallery (user_id, state, id, scene, aspect_ratio, model, starred, created_at) WHERE team = 0;
