-- Hours whose files could not be deleted come last where space is short: ten of them must not keep the others waiting.
ALTER TABLE doomed ADD COLUMN failed bool NOT NULL DEFAULT false;
