"""Decodes the best picture and sound of a URL with PyAV, or their first seconds, and prints their seconds as JSON;
or the squares of each frame, from a second on when one is given.

usage: decode.py URL [SECONDS] | decode.py --squares URL [SECOND]
"""
import json
import sys

import av

from strip import squares


def main(url, enough=float("inf")):
    seconds = {"video": 0.0, "audio": 0.0}
    with av.open(url) as container:
        streams = [container.streams.best(kind) for kind in seconds]
        for packet in container.demux([stream for stream in streams if stream]):
            for frame in packet.decode():
                if isinstance(frame, av.VideoFrame):
                    seconds["video"] += 1 / 25
                else:
                    seconds["audio"] += frame.samples / frame.sample_rate
            if seconds["video"] >= enough:
                break
    print(json.dumps(seconds))


def show_squares(url, begin=None):
    with av.open(url) as container:
        if begin is not None:
            container.seek((container.start_time or 0) + round(begin * av.time_base))
        print(json.dumps([
            squares(bytes(frame.planes[0]), frame.planes[0].line_size, frame.width, frame.height)
            for frame in container.decode(container.streams.best("video"))]))


if sys.argv[1] == "--version":
    print("PyAV", av.__version__, "FFmpeg", getattr(av, "ffmpeg_version_info", ""))
elif sys.argv[1] == "--squares":
    show_squares(sys.argv[2], *map(float, sys.argv[3:]))
else:
    main(sys.argv[1], *map(float, sys.argv[2:]))
