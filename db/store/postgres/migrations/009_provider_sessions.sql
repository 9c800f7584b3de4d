-- The tokens that a provider has issued to a session that began by it.
CREATE TABLE provider_sessions (
  session_id   BIGINT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  sealed       BYTEA NOT NULL,
  next_at      BIGINT, -- when the provider is asked again; NULL if it cannot be asked
  tries        BIGINT NOT NULL DEFAULT 0, -- since its last answer
  leased_by    TEXT NOT NULL DEFAULT '',
  leased_until BIGINT
);
CREATE INDEX provider_sessions_due ON provider_sessions (next_at) WHERE next_at IS NOT NULL;
