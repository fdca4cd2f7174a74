"""Carries out docker/compose.yaml in the roots of prove-dockerfile.sh, and plays what it records.

Started by scripts/prove-deployment.sh in namespaces of its own, with a folder that is in memory.
"""

import os
import sys
import time
from pathlib import Path

from compose_file import ComposeFile
from hold import prove_hold
from stack import Stack, last_words_on_error, proven, require, wait_until
from viewer import decoded_frames, get, listed_seconds

WINDOW_SECONDS = 12


def window(stack, begin):
    return (f"http://{stack.address('backcast')}:8080/live/demo/index.m3u8"
            f"?begintime={begin}&duration={WINDOW_SECONDS}")


def prove_window(stack, begin, what):
    url = window(stack, begin)
    wait_until(what, 60, lambda: listed_seconds(url) >= WINDOW_SECONDS)
    frames = decoded_frames(url)
    require(frames > 0, f"{what}: {listed_seconds(url):.1f} s, of which ffmpeg decodes {frames} pictures")


def prove_first_start(stack):
    stack.start_all()
    for name in ("backcast", "origin"):
        prove_hold(stack.containers[name])
    status = stack.containers["setup"].wait(60)
    require(status == 0, f"setup adds the channel and ends with {status}")
    begin = int(time.time()) + 5
    prove_window(stack, begin, "a window of the demo channel")
    return begin


def prove_second_start(stack, begin):
    """`down` and `up`: the volumes stay."""
    statuses = stack.stop_all()
    require(statuses["backcast"] == 0, f"all of them stop in time: {statuses}")
    stack.start_all()
    status = stack.containers["setup"].wait(60)
    require(status == 0, "a second start: setup finds the channel there and ends with 0")
    prove_window(stack, begin, "the window of before")
    prove_window(stack, int(time.time()) + 5, "a new window")


def main(folder):
    file = ComposeFile("docker/compose.yaml", os.environ)
    proven(f"docker/compose.yaml is read: {', '.join(file.services)}")
    stack = Stack(file.services, folder)
    with last_words_on_error(stack):
        begin = prove_first_start(stack)
        prove_second_start(stack, begin)
        status, text = get(f"http://{stack.address('backcast')}:8080/readyz")
        require(status == 200, f"/readyz: {text.strip()}")
        stack.stop_all()


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except (ValueError, OSError) as error:
        sys.exit(f"compose: {error}")
