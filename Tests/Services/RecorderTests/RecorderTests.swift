// RecorderTests: in the making.
