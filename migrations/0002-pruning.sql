-- What pruning needs, and what asks for few of many rows.

-- Initialization sections and keys whose states are gone; deleted when the readers' grace has passed, unless a state
-- names them again.
CREATE TABLE doomed_object (
    channel_id int NOT NULL REFERENCES channel,
    is_key bool NOT NULL,
    name text NOT NULL,
    not_before timestamptz NOT NULL,
    PRIMARY KEY (channel_id, is_key, name)
);

-- Each window asks whether anything in it is still to come: hardly a row ever is, among two days of identities.
CREATE INDEX intake_pending ON intake (rendition_id, start_us) WHERE state IN ('listed', 'key_pending');
