// TimelineTests: in the making.
