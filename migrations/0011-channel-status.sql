-- What the node that records a channel reports of it, for the nodes that do not record it.
CREATE TABLE channel_status (
    channel_id int PRIMARY KEY,
    node_id uuid NOT NULL,
    reported_at timestamptz NOT NULL,
    status jsonb NOT NULL
);
