// Postgres: in the making.
