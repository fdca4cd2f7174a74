-- How long the media of a segment play, as far as it was measured. Playlists say it in EXTINF where bit 32 of `flags` is
-- set: there it differs from the segment's time.
ALTER TABLE segment ADD COLUMN measured_us int;
ALTER TABLE set_aside ADD COLUMN measured_us int;
