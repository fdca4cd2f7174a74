// Retention: in the making.
