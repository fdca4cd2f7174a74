// PostgresTests: in the making.
