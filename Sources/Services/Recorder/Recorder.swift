// Recorder: in the making.
