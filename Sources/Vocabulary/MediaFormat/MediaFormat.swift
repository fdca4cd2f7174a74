// MediaFormat: in the making.
