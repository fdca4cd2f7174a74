// Compression: in the making.
