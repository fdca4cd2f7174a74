// Playback: in the making.
