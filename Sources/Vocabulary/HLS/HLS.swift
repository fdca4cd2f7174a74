// HLS: in the making.
