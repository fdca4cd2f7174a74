"""A run against three variants: random windows are whole, in order and byte for byte, and ffmpeg decodes them."""
import os
import random
import time

import playlist
import windows
from stack import Stack, wait_for

WINDOWS = 100


def run(table, folder, seed):
    seconds = int(os.environ.get("PROOF_WINDOW_SECONDS", "300"))
    stack = Stack(folder)
    try:
        stack.start_database()
        stack.start_origin("replay", "--channels", "1", "--variants", "3", "--segment-seconds", "4",
                           "--bits-per-second", "2000000")
        stack.start_service()
        stack.add_channel("ch1", f"{stack.origin_base}/ch1/index.m3u8")
        wait_for("a first segment", 60, lambda: stack.status("ch1").get("live_edge"))
        began = time.time()
        time.sleep(seconds)
        settled = time.time() - 15
        windows.wait_until_settled(stack, "ch1", settled)
        show_windows(table, stack, seed, settled)
        show_decoding(table, stack, seed, began, settled)
    finally:
        stack.stop()


def show_windows(table, stack, seed, settled):
    lists, segments, found = windows.check(stack, "ch1", WINDOWS, seed, settled)
    for fault in found[:5]:
        print("   ", fault)
    table.row(f"{WINDOWS} random windows, 3 variants", "every segment once, in order, byte for byte",
              f"{lists} lists, {segments} segments hashed, {len(found)} faults", not found)


def show_decoding(table, stack, seed, began, settled):
    chance = random.Random(seed + 1)
    said, worst = [], 0.0
    for _ in range(4):
        begin = chance.uniform(began, settled - 60)
        end = begin + chance.uniform(20, 60)
        url = f"{stack.base}/live/ch1/v0.m3u8?begintime={int(begin * 1000)}&endtime={int(end * 1000)}"
        code, words, off = windows.decode(url, playlist.media(url).duration)
        worst = max(worst, off)
        if code or words:
            said.append(words or f"status {code}")
    for words in said[:3]:
        print("   ", words[:300])
    table.row("ffmpeg decodes 4 windows", "no message", f"{len(said)} with messages", not said)
    table.row("ffprobe's duration", "within one segment (4 s)", f"off by {worst:.3f} s at most", worst <= 4)
