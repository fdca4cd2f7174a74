-- Up to where a channel was published when it went from media to multivariant: a window that begins before may have been
-- answered as a media playlist, and stays one.
ALTER TABLE channel ADD COLUMN media_until_us bigint;
