-- A channel whose time line lay ahead of now goes on at now: from when on, and under which fence. Facts of an earlier
-- fence that begin at or after that time stay off the time line.
ALTER TABLE line ADD COLUMN reanchored_us bigint NOT NULL DEFAULT 0;
ALTER TABLE line ADD COLUMN reanchor_fence bigint NOT NULL DEFAULT 0;

-- Segments that were recorded at times ahead of now, apart from `segment`: what is recorded at those times later does not
-- mix with them. They have no number, and retention deletes them as it deletes others.
CREATE TABLE set_aside (
    rendition_id int NOT NULL,
    start_us bigint NOT NULL,
    kept bool NOT NULL,
    duration_us int NOT NULL,
    epoch int NOT NULL,
    revision smallint NOT NULL,
    state_id int NOT NULL,
    flags smallint NOT NULL,
    stored_bytes int NOT NULL,
    plain_bytes int NOT NULL,
    iv bytea,
    feed_id bigint NOT NULL,
    origin_number bigint NOT NULL,
    pdt_us bigint,
    arrived_us bigint NOT NULL,
    first_pts bigint,
    digest bytea NOT NULL,
    PRIMARY KEY (rendition_id, start_us, revision)
);
