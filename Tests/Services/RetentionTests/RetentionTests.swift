// RetentionTests: in the making.
