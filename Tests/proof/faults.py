"""A hole in the audio only: all renditions count the same discontinuities, and players play through it."""
import time

import playlist
import windows
from stack import Stack, request, wait_for


def run(table, folder, seed):
    stack = Stack(folder)
    try:
        stack.start_database()
        stack.start_origin("replay", "--channels", "1", "--variants", "3", "--audio", "separate", "--segment-seconds",
                           "2", "--bits-per-second", "1500000")
        stack.start_service()
        stack.add_channel("ch1", f"{stack.origin_base}/ch1/index.m3u8")
        wait_for("a first segment", 60, lambda: stack.status("ch1").get("live_edge"))
        time.sleep(20)
        begin = time.time() - 20
        request(f"{stack.origin_base}/control?fault=hole&channel=ch1&rendition=a0&count=2&mode=404", "POST")
        time.sleep(40)
        end = time.time() - 12
        windows.wait_until_settled(stack, "ch1", end)
        show_counts(table, stack, begin, end)
        show_timeline(table, stack, begin, end)
    finally:
        stack.stop()


def show_counts(table, stack, begin, end):
    url = f"{stack.base}/live/ch1/index.m3u8?begintime={int(begin * 1000)}&endtime={int(end * 1000)}"
    counts, sequences = {}, set()
    for rendition, child in playlist.children(url).items():
        listed = playlist.media(child)
        counts[rendition] = listed.discontinuities
        sequences.add(listed.tag("EXT-X-DISCONTINUITY-SEQUENCE"))
    holds = len(counts) >= 4 and len(set(counts.values())) == 1 and min(counts.values()) >= 1 and len(sequences) == 1
    table.row("a hole in the audio only", "equal discontinuity counts, at least one", f"{counts}", holds)
    code, words, _ = windows.decode(url, 0)
    table.row("ffmpeg plays through the hole", "exit status 0", f"{code} {words[:120]}", code == 0)


def show_timeline(table, stack, begin, end):
    answer = stack.admin(f"/channels/ch1/timeline?from={int(begin)}&to={int(end)}").json()
    gaps = [(gap["rendition"], gap["reason"]) for gap in answer["gaps"]]
    holds = any(rendition == "a0" and reason == "segment_missing" for rendition, reason in gaps)
    table.row("the timeline names the gap", "a0, segment_missing", f"{gaps}", holds)
