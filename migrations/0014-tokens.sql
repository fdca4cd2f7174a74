-- The playback tokens that were made, without their text: what they permit, for lists and for revoking. A token without
-- channels is for every channel.
CREATE TABLE token (
    id text PRIMARY KEY,
    created_us bigint NOT NULL,
    expires_us bigint NOT NULL,
    channels text[] NOT NULL,
    begin_us bigint,
    end_us bigint
);
CREATE INDEX token_by_expiry ON token (expires_us);

-- Revocations are numbered in the order in which they are committed, so that a node reads only what is new to it.
ALTER TABLE revoked_token ADD COLUMN revision bigint GENERATED ALWAYS AS IDENTITY;
CREATE INDEX revoked_token_by_revision ON revoked_token (revision);
