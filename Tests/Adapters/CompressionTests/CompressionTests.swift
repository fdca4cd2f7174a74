// CompressionTests: in the making.
