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
