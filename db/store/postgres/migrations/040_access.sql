-- Since when the company's sign-in gives the person no role. Meanwhile their tokens open
-- nothing, and their webhooks are told of nothing.
ALTER TABLE users ADD COLUMN refused_at BIGINT;

-- Who has made a webhook, also one of the team, and whether it came with a backup and waits
-- for an admin to confirm it.
ALTER TABLE webhooks ADD COLUMN made_by BIGINT REFERENCES users (id);
ALTER TABLE webhooks ADD COLUMN held BIGINT NOT NULL DEFAULT 0;
CREATE INDEX webhooks_held ON webhooks (id) WHERE held = 1;
CREATE INDEX webhooks_made_by ON webhooks (made_by) WHERE user_id IS NULL;
UPDATE webhooks SET made_by = user_id WHERE user_id IS NOT NULL;
-- Until now, only the audit tells who made one of the team.
UPDATE webhooks SET made_by = (
  SELECT a.actor_id FROM audit a JOIN users u ON u.id = a.actor_id
  WHERE a.action = 'webhook.save' AND a.what = 'of the team' AND a.after <> '' AND substr(webhooks.address, 1, length(a.after)) = a.after
    AND a.at BETWEEN webhooks.created_at - 60000 AND webhooks.created_at + 60000
  ORDER BY abs(a.at - webhooks.created_at), a.id LIMIT 1)
WHERE user_id IS NULL;

-- Webhooks that still have the format from before the standard one are off. Their owners
-- are told after the next start: the setting lists the webhooks.
INSERT INTO settings (name, value)
SELECT 'webhooks turned off', '[' || string_agg(CAST(id AS TEXT), ',' ORDER BY id) || ']' FROM webhooks WHERE standard = 0 AND state <> 'off' HAVING count(*) > 0;
UPDATE deliveries SET outcome = 'gave up', problem = 'The webhook has the earlier format and is off.', next_at = NULL
WHERE outcome = '' AND webhook_id IN (SELECT id FROM webhooks WHERE standard = 0);
UPDATE webhooks SET state = 'off', failures = 0, failing_since = NULL, quiet_until = NULL WHERE standard = 0;
