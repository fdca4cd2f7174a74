"""Decodes the best picture and sound of a URL with PyAV and prints their seconds as JSON.

usage: decode.py URL
"""
import json
import sys

import av


def main(url):
    seconds = {"video": 0.0, "audio": 0.0}
    with av.open(url) as container:
        streams = [container.streams.best(kind) for kind in seconds]
        for packet in container.demux([stream for stream in streams if stream]):
            for frame in packet.decode():
                if isinstance(frame, av.VideoFrame):
                    seconds["video"] += 1 / 25
                else:
                    seconds["audio"] += frame.samples / frame.sample_rate
    print(json.dumps(seconds))


if sys.argv[1] == "--version":
    print("PyAV", av.__version__, "FFmpeg", getattr(av, "ffmpeg_version_info", ""))
else:
    main(sys.argv[1])
