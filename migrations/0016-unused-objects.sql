-- A batch of unused initialization sections and keys is looked up among the formats of its channel, which may be tens of
-- thousands: one for each key of a source that changes it with each segment.
CREATE INDEX state_by_key ON state (channel_id, key_name) WHERE key_name IS NOT NULL;
CREATE INDEX state_by_init ON state (channel_id, init_name) WHERE init_name IS NOT NULL;
CREATE INDEX doomed_object_by_time ON doomed_object (not_before);
