-- The data folder and its upkeep.

-- The time by which things are deleted for good; see db.Clock.
CREATE TABLE clock (
	id      INTEGER PRIMARY KEY CHECK (id = 1),
	trusted INTEGER NOT NULL,
	latest  INTEGER NOT NULL,
	claim   INTEGER,          -- NULL while the machine's clock is trusted
	held    INTEGER NOT NULL  -- milliseconds
) STRICT;
