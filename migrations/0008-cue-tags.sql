-- The source's cue tags before a segment, one a line as received; null for the many segments that have none. The
-- segment's flags say whether there are any (64), so that a scan of the index knows.
ALTER TABLE segment ADD COLUMN cue_tags text;
ALTER TABLE set_aside ADD COLUMN cue_tags text;
