-- From where a guest of a link came when they gave a name: a fingerprint of their network
-- address, so that nobody there takes the places of guests elsewhere. It is empty for guests
-- of earlier versions.
ALTER TABLE guests ADD COLUMN source BLOB NOT NULL DEFAULT x'';
