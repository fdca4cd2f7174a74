"""How soon a picture, and the first byte of a file, come."""
import http.client
import time
import urllib.parse

from stack import request

CHANNELS = ("clear", "encrypted", "parted")
PICTURES = 20
PICTURE_MILLISECONDS = 150
FIRST_BYTE_MILLISECONDS = 1000


def show(table, scenes):
    for channel in CHANNELS:
        show_pictures(table, scenes, channel)
        show_first_byte(table, scenes, channel)


def show_pictures(table, scenes, channel):
    """Each of another key frame, which nobody has asked for: the slowest but one counts."""
    times, statuses = [], set()
    for each in range(PICTURES):
        instant = round((scenes.settled - 4 - 2 * each) * 1000)
        began = time.monotonic()
        answer = request(f"{scenes.stack.base}/live/{channel}/frame.jpg?time={instant}&width=321")
        times.append((time.monotonic() - began) * 1000)
        statuses.add(answer.status)
    times.sort()
    table.row(f"a picture of {channel}, 320 wide", f"{PICTURES}, all but one within {PICTURE_MILLISECONDS} ms",
              f"{sorted(statuses)}, median {times[len(times) // 2]:.0f} ms, slowest {times[-2]:.0f} and {times[-1]:.0f} ms",
              statuses == {200} and times[-2] <= PICTURE_MILLISECONDS)


def show_first_byte(table, scenes, channel):
    """All that is recorded, as one file, with its holes."""
    path = f"/live/{channel}/download.mp4?begintime={round((scenes.calm - 22) * 1000)}&endtime={round(scenes.settled * 1000)}"
    seen = [first_byte(scenes.stack.base, path) for _ in range(3)]
    slowest = max(milliseconds for _, milliseconds in seen)
    table.row(f"download.mp4 of {channel}, {scenes.settled - scenes.calm + 22:.0f} s",
              f"the first byte within {FIRST_BYTE_MILLISECONDS} ms",
              f"{sorted({status for status, _ in seen})}, slowest of {len(seen)}: {slowest:.0f} ms",
              all(status == 200 for status, _ in seen) and slowest <= FIRST_BYTE_MILLISECONDS)


def first_byte(base, path):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(base).netloc, timeout=30)
    began = time.monotonic()
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read(1)
        return answer.status, (time.monotonic() - began) * 1000
    finally:
        connection.close()
