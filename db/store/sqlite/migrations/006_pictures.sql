-- Uploaded pictures.

-- What is deleted here is overwritten too: the tokens in the clear leave the
-- file.
PRAGMA secure_delete = ON;

-- The tokens of the pictures that an earlier version kept, until SealPictures
-- has sealed them. A migration does not know the secret.
CREATE TABLE unsealed_pictures (
  picture_id INTEGER PRIMARY KEY,
  token      TEXT NOT NULL
) STRICT;
INSERT INTO unsealed_pictures (picture_id, token) SELECT id, token FROM pictures;

CREATE TABLE tokenless_pictures (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  hash       TEXT NOT NULL,
  type       TEXT NOT NULL,
  size       INTEGER NOT NULL,
  width      INTEGER NOT NULL,
  height     INTEGER NOT NULL,
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- when it was uploaded last
  found_at   INTEGER,          -- when the sweep last found it in use
  thumbnail  BLOB,             -- a small JPEG; empty where none can be made; NULL where none was asked for
  UNIQUE (user_id, hash)
) STRICT;
INSERT INTO tokenless_pictures (id, user_id, hash, type, size, width, height, name, created_at)
SELECT id, user_id, hash, type, size, width, height, name, created_at FROM pictures;
DELETE FROM sqlite_sequence WHERE name = 'tokenless_pictures';
INSERT INTO sqlite_sequence (name, seq) SELECT 'tokenless_pictures', seq FROM sqlite_sequence WHERE name = 'pictures';
DROP TABLE pictures;
ALTER TABLE tokenless_pictures RENAME TO pictures;
CREATE INDEX pictures_of_user ON pictures (user_id, created_at);
CREATE INDEX pictures_use ON pictures (user_id, size);
CREATE INDEX pictures_size ON pictures (size); -- all of them are summed up before a copy
CREATE INDEX pictures_of_hash ON pictures (hash);
CREATE INDEX pictures_due ON pictures (coalesce(found_at, created_at));

-- A picture is found by the SHA-256 of a token in its address. The newest token
-- lies sealed beside it, so that the address can be built again. A picture has
-- another one where that does not open, because the secret was lost; its old
-- addresses go on working. When this file has run, hashPictures puts the hashes
-- in the place of the random bytes.
CREATE TABLE picture_tokens (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  token      BLOB NOT NULL UNIQUE, -- SHA-256
  sealed     BLOB,
  picture_id INTEGER NOT NULL REFERENCES pictures (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX tokens_of_picture ON picture_tokens (picture_id, id);
INSERT INTO picture_tokens (token, picture_id) SELECT randomblob(32), picture_id FROM unsealed_pictures;

PRAGMA secure_delete = OFF;
