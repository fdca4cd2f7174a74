-- Channels, the published line of each, and what was recorded. Times are microseconds since 1970 UTC (…_us).

CREATE TABLE channel (
    channel_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Pages of channels go by the bytes of their ids, whatever the database's locale.
    slug text COLLATE "C" NOT NULL UNIQUE,
    settings jsonb NOT NULL,
    version bigint NOT NULL DEFAULT 1,
    -- 'media' or 'multivariant', fixed when the source is first seen; it only ever goes to multivariant.
    shape text CHECK (shape IN ('media', 'multivariant')),
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz
);

CREATE TABLE node (
    node_id uuid PRIMARY KEY,
    expires_at timestamptz NOT NULL,
    about jsonb NOT NULL DEFAULT '{}'
);

-- The one row that publishing locks: who may publish (fence) and how far the published log reaches (watermark).
CREATE TABLE line (
    channel_id int PRIMARY KEY REFERENCES channel,
    node_id uuid,
    fence bigint NOT NULL DEFAULT 0,
    epoch int NOT NULL DEFAULT 0,
    end_us bigint NOT NULL DEFAULT 0,
    watermark_us bigint NOT NULL DEFAULT 0,
    forgotten_us bigint NOT NULL DEFAULT 0,
    target_seconds int NOT NULL DEFAULT 0
);

-- When a channel was meant to be recorded: coverage is measured against this, and nothing else is a gap.
CREATE TABLE recording_span (
    channel_id int NOT NULL REFERENCES channel,
    begin_us bigint NOT NULL,
    end_us bigint,
    PRIMARY KEY (channel_id, begin_us)
);

CREATE TABLE rendition (
    rendition_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    channel_id int NOT NULL REFERENCES channel,
    name text NOT NULL,
    kind text NOT NULL,
    -- The attributes by which the rendition is found again in a multivariant playlist, and written into ours.
    match jsonb NOT NULL DEFAULT '{}',
    next_number bigint NOT NULL DEFAULT 0,
    UNIQUE (channel_id, name)
);

-- One unbroken numbering of one source. The recorder chooses the id, so that a feed can begin with the database away.
CREATE TABLE feed (
    feed_id bigint PRIMARY KEY,
    channel_id int NOT NULL REFERENCES channel,
    source text NOT NULL,
    began_us bigint NOT NULL,
    clock text NOT NULL,
    anchor jsonb NOT NULL DEFAULT '{}',
    ended_reason text
);
CREATE INDEX feed_of_channel ON feed (channel_id, began_us DESC);

-- Discontinuity domains; the number is written out as EXT-X-DISCONTINUITY-SEQUENCE.
CREATE TABLE epoch (
    channel_id int NOT NULL REFERENCES channel,
    epoch int NOT NULL,
    begin_us bigint NOT NULL,
    cause text NOT NULL,
    target_seconds int NOT NULL,
    PRIMARY KEY (channel_id, epoch)
);
-- A fact that comes late looks for the epoch that it lies in.
CREATE INDEX epoch_by_begin ON epoch (channel_id, begin_us, epoch);

CREATE TABLE state (
    state_id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    channel_id int NOT NULL REFERENCES channel,
    digest bytea NOT NULL,
    container text NOT NULL,
    tracks text NOT NULL,
    codecs text NOT NULL,
    width int NOT NULL,
    height int NOT NULL,
    init_name text,
    key_method text,
    key_name text,
    drm_tags text[] NOT NULL,
    last_used_us bigint NOT NULL,
    UNIQUE (channel_id, digest)
);

-- The covering primary key answers a window without touching the heap. `kept` rows stand apart from the daily
-- partitions, so that retention can drop a day whole. No foreign keys: rows are many and written in one place.
CREATE TABLE segment (
    rendition_id int NOT NULL,
    start_us bigint NOT NULL,
    kept bool NOT NULL DEFAULT false,
    duration_us int NOT NULL CHECK (duration_us > 0),
    number bigint,
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
    PRIMARY KEY (rendition_id, start_us, kept)
        INCLUDE (duration_us, number, epoch, revision, state_id, flags, stored_bytes, plain_bytes, iv)
) PARTITION BY LIST (kept);

CREATE TABLE segment_kept PARTITION OF segment FOR VALUES IN (true);
CREATE TABLE segment_rolling PARTITION OF segment FOR VALUES IN (false) PARTITION BY RANGE (start_us);

-- Once only: a unique key of the daily partitions would have to contain the day, and an arrival clock can give one
-- segment two days. Narrow, and pruned after two days but for each feed's newest row.
CREATE TABLE intake (
    rendition_id int NOT NULL,
    feed_id bigint NOT NULL,
    origin_number bigint NOT NULL,
    start_us bigint NOT NULL,
    duration_us int NOT NULL,
    state text NOT NULL CHECK (state IN ('listed', 'key_pending', 'stored', 'lost')),
    seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (rendition_id, feed_id, origin_number)
);
CREATE INDEX intake_by_age ON intake (seen_at);

CREATE TABLE loss (
    loss_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    channel_id int NOT NULL REFERENCES channel,
    rendition_id int,
    begin_us bigint NOT NULL,
    end_us bigint NOT NULL,
    reason smallint NOT NULL,
    note text NOT NULL DEFAULT ''
);
CREATE INDEX loss_of_channel ON loss (channel_id, begin_us);

-- A summary per rendition and quarter of an hour: entity tags, the timeline, and BANDWIDTH come from here. Rows are
-- read only for quarters that are not contiguous, or that a window cuts: so a summary has its first begin and last end.
CREATE TABLE block (
    rendition_id int NOT NULL,
    quarter_us bigint NOT NULL,
    revision int NOT NULL,
    segments int NOT NULL,
    bytes bigint NOT NULL,
    held_us bigint NOT NULL,
    peak_bps bigint NOT NULL,
    unpublished smallint NOT NULL,
    contiguous bool NOT NULL,
    begin_us bigint NOT NULL,
    end_us bigint NOT NULL,
    PRIMARY KEY (rendition_id, quarter_us)
);

CREATE TABLE recording (
    recording_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    channel_id int NOT NULL REFERENCES channel,
    begin_us bigint NOT NULL,
    end_us bigint NOT NULL,
    title text NOT NULL DEFAULT ''
);
CREATE INDEX recording_of_channel ON recording (channel_id, begin_us);

-- Hours of bytes whose facts are gone; the bytes follow when the readers' grace has passed.
CREATE TABLE doomed (
    prefix text NOT NULL,
    hour_us bigint NOT NULL,
    not_before timestamptz NOT NULL,
    PRIMARY KEY (prefix, hour_us)
);

CREATE TABLE revoked_token (
    id text PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
