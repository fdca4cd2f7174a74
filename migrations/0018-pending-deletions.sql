-- Pending deletions get the names that the documents use. Nodes of the previous version still use the old names, so the old
-- names stay as views.
ALTER TABLE doomed RENAME TO pending_deletion_hour;
ALTER TABLE doomed_object RENAME TO pending_deletion_object;
ALTER INDEX doomed_pkey RENAME TO pending_deletion_hour_pkey;
ALTER INDEX doomed_object_pkey RENAME TO pending_deletion_object_pkey;
ALTER INDEX doomed_object_by_time RENAME TO pending_deletion_object_by_time;
CREATE VIEW doomed AS SELECT prefix, hour_us, not_before, failed FROM pending_deletion_hour;
CREATE VIEW doomed_object AS SELECT channel_id, is_key, name, not_before FROM pending_deletion_object;
