-- A token without a limit of its own. The previous version shows its cap instead.
ALTER TABLE programs ADD COLUMN uncapped BIGINT NOT NULL DEFAULT 0;
-- What a video may cost, in thousandths, before the charge stops its token; NULL is what the task holds.
ALTER TABLE program_tasks ADD COLUMN expected BIGINT;

-- The dearest video of each service, and videos for which the service has named no price.
CREATE INDEX tasks_dearest ON tasks (service_id, charged) WHERE charged IS NOT NULL;
CREATE INDEX tasks_unpriced ON tasks (service_id, id) WHERE quoted IS NULL AND charged IS NULL AND state IN ('pending', 'processing', 'unconfirmed');
