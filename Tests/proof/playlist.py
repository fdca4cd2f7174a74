"""A small reader of media playlists, independent of the one that is proven."""
import datetime
import hashlib
import re
import urllib.parse

from stack import request


class Segment:
    def __init__(self, url, duration, date, discontinuities):
        self.url, self.duration, self.date, self.discontinuities = url, duration, date, discontinuities


class MediaList:
    def __init__(self, url, answer):
        self.segments, self.discontinuities = [], 0
        duration = date = None
        pending = 0
        for line in answer.text.splitlines():
            if line.startswith("#EXTINF:"):
                duration = float(line[8:].split(",")[0])
            elif line.startswith("#EXT-X-PROGRAM-DATE-TIME:"):
                date = datetime.datetime.fromisoformat(line.split(":", 1)[1].replace("Z", "+00:00")).timestamp()
            elif line == "#EXT-X-DISCONTINUITY":
                pending += 1
                self.discontinuities += 1
            elif line and not line.startswith("#"):
                self.segments.append(Segment(urllib.parse.urljoin(url, line), duration, date, pending))
                duration = date = None
                pending = 0

    @property
    def duration(self):
        return sum(segment.duration for segment in self.segments)


def media(url):
    answer = request(url)
    return MediaList(url, answer) if answer.status == 200 else None


def children(url):
    """The media playlists that a multivariant playlist names, by rendition id."""
    text = request(url).text
    names = re.findall(r'URI="([^"]+\.m3u8[^"]*)"', text) + [
        line for line in text.splitlines() if line and not line.startswith("#")]
    return {name.split(".m3u8")[0]: urllib.parse.urljoin(url, name) for name in names}


def digest(url):
    answer = request(url)
    return hashlib.sha256(answer.body).hexdigest() if answer.status == 200 else f"status {answer.status}"
