"""Decodes the best picture and sound of a URL with PyAV, or their first seconds, and prints their seconds as JSON.

usage: decode.py URL [SECONDS]
"""
import json
import sys

import av


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


if sys.argv[1] == "--version":
    print("PyAV", av.__version__, "FFmpeg", getattr(av, "ffmpeg_version_info", ""))
else:
    main(sys.argv[1], *map(float, sys.argv[2:]))
