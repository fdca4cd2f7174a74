// SegmentStore: in the making.
