-- The segments of a closed quarter in one value, so that a day is read as some hundred rows and not as thousands. It is
-- valid while `revision` is that of the summary, which every change of the segments raises. Apart from `block`, because
-- sizes and timelines read many summaries. The reference deletes it with its summary, whichever version of the program
-- deletes that.
CREATE TABLE packed_quarter (
    rendition_id int NOT NULL,
    quarter_us bigint NOT NULL,
    revision int NOT NULL,
    packed bytea NOT NULL,
    PRIMARY KEY (rendition_id, quarter_us),
    FOREIGN KEY (rendition_id, quarter_us) REFERENCES block ON DELETE CASCADE
);
ALTER TABLE packed_quarter ALTER COLUMN packed SET STORAGE EXTERNAL;
