// SegmentStoreTests: in the making.
