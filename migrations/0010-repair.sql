-- Better bytes of a segment that was published before they came, where bit 128 of `flags` is set: growing playlists go on to
-- list the first ones, closed windows list these.
ALTER TABLE segment
    ADD COLUMN repair_revision smallint,
    ADD COLUMN repair_state_id int,
    ADD COLUMN repair_flags smallint,
    ADD COLUMN repair_stored_bytes int,
    ADD COLUMN repair_plain_bytes int,
    ADD COLUMN repair_iv bytea,
    ADD COLUMN repair_measured_us int,
    ADD COLUMN repair_digest bytea;
