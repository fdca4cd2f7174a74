-- Where the key frames of a segment lie, and those of the better bytes that came after it was published: packed, and in no
-- index, so that reading a window costs the same. A flag of the segment says that there are some. Rows of programs that do
-- not know of them have none.
ALTER TABLE segment ADD COLUMN key_frames bytea, ADD COLUMN repair_key_frames bytea;

-- The same of a closed quarter in one value, valid while `revision` is that of the summary; see packed_quarter. Where an
-- older program has packed a quarter, there is none, and the rows are read.
CREATE TABLE packed_key_frames (
    rendition_id int NOT NULL,
    quarter_us bigint NOT NULL,
    revision int NOT NULL,
    packed bytea NOT NULL,
    PRIMARY KEY (rendition_id, quarter_us),
    FOREIGN KEY (rendition_id, quarter_us) REFERENCES block ON DELETE CASCADE
);
ALTER TABLE packed_key_frames ALTER COLUMN packed SET STORAGE EXTERNAL;
