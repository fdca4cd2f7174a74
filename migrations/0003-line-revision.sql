-- Counts what was committed of a channel's line and archive: who keeps parts of it in memory sees by one number whether
-- anything was missed.
ALTER TABLE line ADD COLUMN revision bigint NOT NULL DEFAULT 0;
