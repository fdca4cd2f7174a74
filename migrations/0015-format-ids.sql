-- Ids of formats begin again at 1 behind the last one: keys that change with each segment of a thousand channels use all
-- of them in a month. Those that are still in use are passed over.
ALTER TABLE state ALTER COLUMN state_id SET CYCLE;
