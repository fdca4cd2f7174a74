"""The windows that are played: what is recorded, with which holes, and how long each rendition is."""
import time

import ledger
import playlist
from stack import Stack, request, wait_for

from . import times

COMMON = ["replay", "--channels", "1", "--segment-seconds", str(times.SEGMENT_SECONDS), "--minute-seconds",
          str(times.MINUTE_SECONDS)]
VIDEOS = ["v0", "v1", "v2"]


class Window:
    """A URL to be played, and what its lists promise: seconds of picture and of sound, tags in a row."""

    def __init__(self, title, url, lists):
        self.title, self.url = title, url
        self.lists = {name: playlist.media(child) for name, child in lists.items()}
        self.video = self.lists.get("v0", next(iter(self.lists.values()))).duration
        self.audio = self.lists.get("a0", next(iter(self.lists.values()))).duration
        self.common = common([covered(listed) for listed in self.lists.values()])
        self.joints = max(listed.discontinuities for listed in self.lists.values())
        self.in_a_row = max(segment.discontinuities for listed in self.lists.values() for segment in listed.segments)

    @property
    def described(self):
        return ", ".join(f"{name} {listed.duration:.1f} s {listed.discontinuities} tags"
                         for name, listed in sorted(self.lists.items()))


def query(begin, end):
    return f"begintime={round(begin * 1000)}&endtime={round(end * 1000)}"


def covered(listed):
    """The spans of wall-clock time that a list holds."""
    spans, instant = [], None
    for segment in listed.segments:
        instant = segment.date if segment.date is not None else instant
        spans.append((instant, instant + segment.duration))
        instant += segment.duration
    return spans


def common(lists):
    """Seconds that all lists hold."""
    spans = lists[0]
    for other in lists[1:]:
        spans = [(max(a, c), min(b, d)) for a, b in spans for c, d in other if max(a, c) < min(b, d)]
    return sum(end - begin for begin, end in spans)


class Scenes:
    """Three live channels, one after the other put through their faults."""

    def __init__(self, folder):
        self.stack = Stack(folder)

    def start(self):
        stack = self.stack
        stack.start_database()
        self.clear = stack.start_origin(*COMMON, "--bits-per-second", "600000", name="clear")
        self.encrypted = stack.start_origin(*COMMON, "--bits-per-second", "600000", "--encrypt", "aes-128", "--rotate",
                                            "3", name="encrypted")
        self.parted = stack.start_origin(*COMMON, "--container", "fmp4", "--audio", "separate", "--variants", "3",
                                         "--bits-per-second", "800000", name="parted")
        stack.start_service()
        for channel, base in (("clear", self.clear), ("encrypted", self.encrypted), ("parted", self.parted)):
            stack.add_channel(channel, f"{base}/ch1/index.m3u8")
        wait_for("first segments", 90, lambda: all(
            stack.status(channel).get("live_edge") for channel in ("clear", "encrypted", "parted")))

    def stop(self):
        self.stack.stop()

    def record(self):
        """Lets time pass with its faults; gives the instants that the windows are cut at."""
        time.sleep(30)
        self.calm = time.time() - 2
        request(f"{self.clear}/control?fault=hole&count=1&mode=404", "POST")
        self.hole("a0")
        self.holed = time.time()
        time.sleep(24)
        self.crossed = time.time()
        self.hole("a0", 10)
        for pause in (4, 8):
            time.sleep(pause)
            for video in VIDEOS:
                self.hole(video)
        time.sleep(24)
        self.settled = end = time.time() - 4
        for channel in ("clear", "encrypted", "parted"):
            self.stack.wait_until_settled(channel, end)

    def began(self, origin):
        """The time of day at which an origin began its first repetition of the minute."""
        return min(entry.start for entry in ledger.read(self.stack.path(f"{origin}-ledger.jsonl")))

    def hole(self, rendition, count=1):
        request(f"{self.parted}/control?fault=hole&channel=ch1&rendition={rendition}&count={count}&mode=404", "POST")

    def window(self, title, channel, begin, end, name="index"):
        """A window that begins with a segment, so that players which heed EXT-X-START have nothing to skip."""
        first = playlist.media(f"{self.stack.base}/live/{channel}/v0.m3u8?{query(begin, end)}").segments[0]
        url = f"{self.stack.base}/live/{channel}/{name}.m3u8?{query(first.date, end)}"
        return Window(title, url, self.lists(url))

    @staticmethod
    def lists(url):
        if "#EXTINF" in request(url).text:
            return {"v0": url}
        return playlist.children(url)

    def windows(self, relay):
        """All windows, each with what it is for."""
        hole = self.window("a hole in the audio only", "parted", self.holed - 8, self.holed + 14)
        broken = self.window("TS, a hole", "clear", self.holed - 8, self.holed + 14)
        return [
            self.window("a clean window", "parted", self.calm - 22, self.calm), hole,
            self.window("two discontinuities in a row", "parted", self.crossed - 6, self.crossed + 30),
            self.doubled(hole, relay),
            self.window("AES-128", "encrypted", self.calm - 22, self.calm), self.doubled(broken, relay),
            self.window("master.m3u8 of one rendition", "clear", self.calm - 22, self.calm, "master"),
        ]

    def doubled(self, window, relay):
        url = relay.doubled(window.url)
        return Window(f"{window.title}, every tag doubled", url, self.lists(url))
