-- Tables of pending deletions are named as the documents name them. The views have the former names, for nodes of the version
-- before until they are replaced.
ALTER TABLE doomed RENAME TO pending_deletion_hour;
ALTER TABLE doomed_object RENAME TO pending_deletion_object;
ALTER INDEX doomed_pkey RENAME TO pending_deletion_hour_pkey;
ALTER INDEX doomed_object_pkey RENAME TO pending_deletion_object_pkey;
ALTER INDEX doomed_object_by_time RENAME TO pending_deletion_object_by_time;
CREATE VIEW doomed AS SELECT prefix, hour_us, not_before FROM pending_deletion_hour;
CREATE VIEW doomed_object AS SELECT channel_id, is_key, name, not_before FROM pending_deletion_object;

-- An hour whose files could not be deleted: when space is short, it is tried after all other hours.
ALTER TABLE pending_deletion_hour ADD COLUMN failed bool NOT NULL DEFAULT false;
