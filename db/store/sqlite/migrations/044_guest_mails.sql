-- The addresses at which guests of a link want mails. Each gets one mail that asks for
-- confirmation, and nothing more until then.
CREATE TABLE guest_mails (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  share_id     INTEGER NOT NULL REFERENCES shares (id) ON DELETE CASCADE,
  address      TEXT NOT NULL,
  address_key  TEXT NOT NULL, -- under which addresses are compared
  created_at   INTEGER NOT NULL,
  confirmed_at INTEGER,
  stopped_at   INTEGER, -- no mails since then
  UNIQUE (share_id, address_key)
) STRICT;
ALTER TABLE guests ADD COLUMN mail_id INTEGER REFERENCES guest_mails (id) ON DELETE SET NULL;
CREATE INDEX guests_of_mail ON guests (mail_id) WHERE mail_id IS NOT NULL;

-- How many mails a guest's address gets is limited over all links.
ALTER TABLE mails ADD COLUMN address_key TEXT NOT NULL DEFAULT '';
CREATE INDEX mails_to_address ON mails (address_key, created_at) WHERE address_key <> '';

-- A person's own program is told of notes and answers if they choose so.
ALTER TABLE webhooks ADD COLUMN notes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN note_id INTEGER REFERENCES notes (id) ON DELETE CASCADE;
ALTER TABLE deliveries ADD COLUMN guest_id INTEGER REFERENCES guests (id) ON DELETE CASCADE; -- whose answer it is
CREATE INDEX deliveries_of_note ON deliveries (note_id) WHERE note_id IS NOT NULL;
CREATE INDEX deliveries_of_guest ON deliveries (guest_id) WHERE guest_id IS NOT NULL;
