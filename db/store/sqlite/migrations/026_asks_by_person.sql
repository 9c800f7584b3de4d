-- People, and the keys of each, take turns at being asked about.
CREATE INDEX tasks_ask_by_person ON tasks (user_id, key_id, next_at) WHERE state IN ('pending', 'processing');
