-- Channels of the first audio track if it is AAC; 0 where it is not known. Another number is another format.
ALTER TABLE state ADD COLUMN audio_channels int NOT NULL DEFAULT 0;
