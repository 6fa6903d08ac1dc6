-- Who did what when at the Router; neither keys nor bodies.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  wallet_id TEXT NOT NULL,
  event TEXT NOT NULL,
  ceremony_id TEXT,
  outcome TEXT NOT NULL
);
CREATE INDEX audit_by_wallet ON audit (wallet_id, at_ms);
CREATE INDEX audit_by_time ON audit (at_ms);
