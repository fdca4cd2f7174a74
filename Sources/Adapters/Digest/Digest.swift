// Digest: in the making.
