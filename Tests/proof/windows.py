"""Random windows of a channel that is being recorded, held against the ledger: every published segment that overlaps is
listed exactly once, in order, byte for byte."""
import random
import subprocess
import time

import ledger
import playlist

#: Dates may be drawn out by this much before they count as wrong, so a segment that only touches the edge may or may
#: not be listed.
EDGE = 0.15


def check_rendition(url, begin, end, entries, cache):
    """None when the list is right, else what is wrong."""
    listed = playlist.media(url)
    if listed is None:
        return f"no playlist at {url}"
    if not listed.ended or listed.tag("EXT-X-PLAYLIST-TYPE") != "VOD":
        return "the window is not closed"
    known = {entry.sha256: entry for entry in entries}
    seen = []
    for segment in listed.segments:
        if segment.url not in cache:
            cache[segment.url] = playlist.digest(segment.url)
        if cache[segment.url] not in known:
            return f"{segment.url} has bytes that the origin never published ({cache[segment.url]})"
        seen.append(known[cache[segment.url]])
    places = [(entry.feed, entry.number) for entry in seen]
    if places != sorted(set(places)):
        return f"out of order or twice: {places}"
    listed_now = set(places)
    for entry in entries:
        inside = entry.start < end - EDGE and entry.end > begin + EDGE
        outside = entry.start > end + EDGE or entry.end < begin - EDGE
        there = (entry.feed, entry.number) in listed_now
        if inside and entry.served and not there:
            return f"number {entry.number} of {entry.rendition} is missing"
        if outside and there:
            return f"number {entry.number} of {entry.rendition} does not belong here"
    return None


def check(stack, channel, count, seed, settled):
    """Checks windows between the first published segment and `settled`."""
    chance = random.Random(seed)
    entries = [entry for entry in ledger.read(stack.ledger) if entry.channel == channel]
    grouped = {rendition: group for (_, rendition), group in ledger.by_rendition(entries).items()}
    first = max(group[0].start for group in grouped.values())
    cache, faults, lists = {}, [], 0
    for _ in range(count):
        begin = chance.uniform(first, settled - 1)
        end = chance.uniform(begin + 1, settled)
        query = f"begintime={int(begin * 1000)}&endtime={int(end * 1000)}"
        for rendition, group in grouped.items():
            url = f"{stack.base}/live/{channel}/{rendition}.m3u8?{query}"
            fault = check_rendition(url, int(begin * 1000) / 1000, int(end * 1000) / 1000, group, cache)
            lists += 1
            if fault:
                faults.append(f"{rendition} {query}: {fault}")
    return lists, len(cache), faults


def decode(url, window):
    """What ffmpeg says of a window (nothing is right), and how far ffprobe's duration is off, in seconds."""
    said = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "warning", "-xerror", "-i", url, "-f", "null", "-"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=300)
    probed = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", url],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60).stdout.strip()
    return said.returncode, said.stderr.strip(), abs(float(probed or 0) - window)


def wait_until_settled(stack, channel, instant, seconds=60):
    """Waits until the live edge has passed an instant."""
    from stack import wait_for
    import datetime

    def passed():
        edge = stack.status(channel).get("live_edge")
        return edge and datetime.datetime.fromisoformat(edge.replace("Z", "+00:00")).timestamp() >= instant
    wait_for(f"the live edge of {channel}", seconds, passed)
    return time.time()
