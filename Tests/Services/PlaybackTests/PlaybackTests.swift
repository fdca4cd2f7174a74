// PlaybackTests: in the making.
