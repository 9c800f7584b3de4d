-- Amounts are thousandths of a credit, times unix milliseconds.

CREATE TABLE account (
	id         TEXT PRIMARY KEY,
	balance    INTEGER NOT NULL DEFAULT 0 CHECK (balance >= 0),
	created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_key (
	hash       BLOB PRIMARY KEY, -- SHA-256 of the key
	account_id TEXT NOT NULL REFERENCES account(id),
	name       TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;

-- What the caller sees. It moves only when somebody asks.
CREATE TABLE task (
	id         TEXT PRIMARY KEY,
	account_id TEXT NOT NULL REFERENCES account(id),
	provider   TEXT NOT NULL,
	scene      TEXT NOT NULL,
	model      TEXT NOT NULL,
	prompt     TEXT NOT NULL,
	options    TEXT NOT NULL, -- as they came
	cost       INTEGER NOT NULL CHECK (cost >= 0),
	status     TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT;

-- What is really going on: the work at the "upstream provider".
CREATE TABLE job (
	id         TEXT PRIMARY KEY,
	task_id    TEXT NOT NULL UNIQUE REFERENCES task(id),
	spec       TEXT NOT NULL,
	state      TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'canceled')),
	progress   REAL NOT NULL DEFAULT 0,
	reason     TEXT NOT NULL DEFAULT '',
	video      TEXT NOT NULL,
	cover      TEXT NOT NULL,
	started_at INTEGER NOT NULL DEFAULT 0,
	due_at     INTEGER NOT NULL, -- when the next thing happens to it
	ended_at   INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX job_due ON job (due_at) WHERE state IN ('waiting', 'running');

CREATE TABLE ledger (
	id         INTEGER PRIMARY KEY,
	account_id TEXT NOT NULL REFERENCES account(id),
	task_id    TEXT REFERENCES task(id),
	kind       TEXT NOT NULL CHECK (kind IN ('deducted', 'refunded', 'topped up')),
	amount     INTEGER NOT NULL, -- as it changed the balance
	balance    INTEGER NOT NULL, -- after it
	at         INTEGER NOT NULL
) STRICT;

CREATE INDEX ledger_account ON ledger (account_id, id);

-- A task is paid once and refunded once.
CREATE UNIQUE INDEX ledger_once ON ledger (task_id, kind) WHERE task_id IS NOT NULL;
