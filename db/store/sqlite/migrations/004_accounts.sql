-- Accounts: sign-in, passwords, sessions, invites.

-- email_norm is db.EmailKey of the address, which the program computes when it
-- opens the database; until then it is empty. Where two people of before share
-- one, each keeps the email_key that they sign in with; new accounts share none.
ALTER TABLE users ADD COLUMN email_norm TEXT NOT NULL DEFAULT '';
CREATE INDEX users_by_email ON users (email_norm);

-- A link with which somebody sets a new password, once. A new one takes the
-- place of the one before.
CREATE TABLE resets (
  user_id    INTEGER PRIMARY KEY REFERENCES users (id),
  token      BLOB NOT NULL UNIQUE, -- SHA-256
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

-- Forms that were sent without a session and wait until that browser has signed
-- in again.
CREATE TABLE typed (
  token BLOB PRIMARY KEY, -- SHA-256
  at    INTEGER NOT NULL,
  form  TEXT NOT NULL     -- JSON, as db.Typed
) STRICT;
CREATE INDEX typed_by_age ON typed (at, token);

-- Whether the session began with a cookie that is for this host alone. Where it
-- did, no other cookie is taken for it: another site may have planted that.
ALTER TABLE sessions ADD COLUMN for_host INTEGER NOT NULL DEFAULT 0;
