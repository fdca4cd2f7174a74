-- Gaps near the live edge, which every node looks for all the time, and expiry ask for losses by their ends: by their begins,
-- all that were ever recorded of a channel would be read.
CREATE INDEX loss_by_end ON loss (channel_id, end_us);
