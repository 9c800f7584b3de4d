-- The tokens that a provider has issued to a session that began by it.
CREATE TABLE provider_sessions (
  session_id   INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  sealed       BLOB NOT NULL,
  next_at      INTEGER, -- when the provider is asked again; NULL if it cannot be asked
  tries        INTEGER NOT NULL DEFAULT 0, -- since its last answer
  leased_by    TEXT NOT NULL DEFAULT '',
  leased_until INTEGER
) STRICT;
CREATE INDEX provider_sessions_due ON provider_sessions (next_at) WHERE next_at IS NOT NULL;
