-- Ranges of time with a meaning, such as breaks for advertising, as sources state them (EXT-X-DATERANGE): once for each
-- channel, whichever rendition listed them. The source's id and start date identify a marker; `ordinal` tells apart
-- those that a source has given the same id. `versions` has what the source has said, and when it became known.
CREATE TABLE marker (
    channel_id int NOT NULL REFERENCES channel,
    marker_id text NOT NULL,
    source_us bigint NOT NULL,
    ordinal int NOT NULL,
    begin_us bigint NOT NULL,
    end_us bigint,
    until_us bigint NOT NULL,
    class text,
    length_us bigint,
    planned_us bigint,
    ends_on_next bool NOT NULL,
    versions jsonb NOT NULL,
    PRIMARY KEY (channel_id, marker_id, source_us)
);
CREATE INDEX marker_by_begin ON marker (channel_id, begin_us);
CREATE INDEX marker_by_until ON marker (channel_id, until_us);

-- The channel's revision when its markers last changed; zero while it has had none.
ALTER TABLE line ADD COLUMN marker_revision bigint NOT NULL DEFAULT 0;
