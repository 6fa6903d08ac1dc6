-- The receipt that both Derivers signed, as JSON; events from before have none.
ALTER TABLE audit ADD COLUMN receipt TEXT;
