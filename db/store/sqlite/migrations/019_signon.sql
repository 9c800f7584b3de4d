-- How people sign in: accounts of an OpenID Connect provider, passkeys, and
-- one-time codes.

ALTER TABLE sessions ADD COLUMN method TEXT NOT NULL DEFAULT 'password'; -- see db.Method

-- Links that whoever runs the server has made work where passwords are off, too.
ALTER TABLE resets ADD COLUMN by_server INTEGER NOT NULL DEFAULT 0;

-- Accounts elsewhere with which people sign in.
CREATE TABLE identities (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  issuer     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  email      TEXT NOT NULL, -- as the provider said it last
  created_at INTEGER NOT NULL,
  used_at    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX identity_subjects ON identities (issuer, subject);
CREATE INDEX identities_by_user ON identities (user_id);

CREATE TABLE passkeys (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  handle     BLOB NOT NULL, -- the person as their passkeys know them; equal for all of one person
  credential BLOB NOT NULL, -- its id, which the authenticator has chosen
  record     TEXT NOT NULL, -- its public key and counter, JSON
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER
) STRICT;
CREATE UNIQUE INDEX passkey_credentials ON passkeys (credential);
CREATE INDEX passkeys_by_user ON passkeys (user_id);
CREATE INDEX passkeys_by_handle ON passkeys (handle);

-- Secrets of one-time codes, sealed.
CREATE TABLE codes (
  user_id    INTEGER PRIMARY KEY REFERENCES users (id),
  sealed     BLOB NOT NULL,
  step       INTEGER NOT NULL, -- of the last code that was used: none is taken twice
  created_at INTEGER NOT NULL
) STRICT;

-- Hashes of the codes for when the others are out of reach. A used one is gone.
CREATE TABLE recovery_codes (
  user_id INTEGER NOT NULL REFERENCES users (id),
  hash    BLOB NOT NULL,
  PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

-- Challenges that were answered, until they would have expired: each counts once.
CREATE TABLE challenges (
  hash       BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX challenges_expire ON challenges (expires_at);
