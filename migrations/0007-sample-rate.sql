-- Samples of the first audio track in a second; 0 where it is not known. Another rate is another format.
ALTER TABLE state ADD COLUMN sample_rate int NOT NULL DEFAULT 0;
