-- Keys can be told apart, and revoked. The keys of before have no tail.
CREATE TABLE listed_key (
	id         INTEGER PRIMARY KEY,
	hash       BLOB NOT NULL UNIQUE, -- SHA-256 of the key
	account_id TEXT NOT NULL REFERENCES account(id),
	name       TEXT NOT NULL,
	tail       TEXT NOT NULL DEFAULT '', -- its last four characters
	created_at INTEGER NOT NULL,
	used_at    INTEGER NOT NULL DEFAULT 0, -- to the minute
	revoked_at INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO listed_key (hash, account_id, name, created_at)
	SELECT hash, account_id, name, created_at FROM api_key ORDER BY created_at;
DROP TABLE api_key;
ALTER TABLE listed_key RENAME TO api_key;

CREATE INDEX api_key_account ON api_key (account_id, id);
CREATE INDEX task_account ON task (account_id);

-- Who is signed in to the console.
CREATE TABLE session (
	token      BLOB PRIMARY KEY, -- SHA-256 of it
	account_id TEXT NOT NULL REFERENCES account(id),
	opened_by  BLOB NOT NULL, -- ends with the password that opened it
	expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE setting (
	name  TEXT PRIMARY KEY,
	value BLOB NOT NULL
) STRICT;
