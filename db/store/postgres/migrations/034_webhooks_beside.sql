-- Processes of the previous version go on beside this one, and find the columns that they
-- read and write. They deliver nothing: no delivery is of a person whom they could read.
ALTER TABLE webhooks ADD COLUMN sealed BYTEA GENERATED ALWAYS AS (CAST('' AS BYTEA)) STORED;
ALTER TABLE webhooks ADD COLUMN notes BIGINT GENERATED ALWAYS AS (CAST(0 AS BIGINT)) STORED;
ALTER TABLE deliveries ADD COLUMN user_id BIGINT;
