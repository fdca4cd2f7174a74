"""Twenty channels of 5 Mb/s on this machine, with the service killed and restarted five times in the middle."""
import datetime
import os
import random
import subprocess
import threading
import time

import ledger
import playlist
from stack import Stack, request, wait_for

CHANNELS = 20
KILLS = 5
TARGET = 4.0


class Delays(threading.Thread):
    """Asks for every channel's live list again and again, and notes when each segment was first listed by us."""

    def __init__(self, stack, channels):
        super().__init__(daemon=True)
        self.stack, self.channels = stack, channels
        self.first_seen, self.ending = {}, False

    def run(self):
        while not self.ending:
            for channel in self.channels:
                try:
                    answer = request(f"{self.stack.base}/live/{channel}/index.m3u8", timeout=5)
                except OSError:
                    time.sleep(0.1)
                    continue
                now = time.time()
                for line in answer.text.splitlines() if answer.status == 200 else []:
                    if line and not line.startswith("#"):
                        self.first_seen.setdefault((channel, line), now)
            time.sleep(0.05)


def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        fields = dict(line.split(":", 1) for line in file if ":" in line)
    return int(fields["VmRSS"].split()[0]) // 1024, int(fields["VmHWM"].split()[0]) // 1024


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def run(table, folder, seed):
    seconds = int(os.environ.get("PROOF_LOAD_SECONDS", "600"))
    chance = random.Random(seed)
    channels = [f"ch{index + 1}" for index in range(CHANNELS)]
    stack = Stack(folder)
    try:
        stack.start_database()
        stack.start_origin("replay", "--channels", str(CHANNELS), "--bits-per-second", "5000000",
                           "--segment-seconds", "4")
        stack.start_service()
        for channel in channels:
            stack.add_channel(channel, f"{stack.origin_base}/{channel}/index.m3u8")
        wait_for("all channels", 90, lambda: all(stack.status(channel).get("live_edge") for channel in channels))
        delays = Delays(stack, channels)
        delays.start()
        steady(table, stack, seconds * 0.6, delays)
        killed(table, stack, seconds * 0.4, chance)
        settled = time.time() - 20
        for channel in channels:
            stack.wait_until_settled(channel, settled)
        delays.ending = True
        show_segments(table, stack, settled)
        show_rows(table, stack)
    finally:
        stack.stop()


def steady(table, stack, seconds, delays):
    """The undisturbed part: memory, descriptors and how soon segments are listed."""
    time.sleep(30)
    began = time.time()
    files = descriptors(stack.service.pid)
    time.sleep(max(30, seconds - 30))
    ended = time.time()
    now, peak = resident(stack.service.pid)
    more = descriptors(stack.service.pid) - files
    table.row(f"resident memory, {CHANNELS} channels of 5 Mb/s", "under 250 MB", f"{now} MB, highest {peak} MB",
              peak < 250)
    table.row("descriptors after the steady part", "no growth (10 of noise)", f"{more:+d}", more <= 10)
    show_delays(table, stack, delays, began, ended)


def show_delays(table, stack, delays, began, ended):
    """A segment's file name is its start; the ledger says when the source listed that start."""
    waits = []
    for entry in ledger.read(stack.ledger):
        if not began < entry.listed_at < ended - 10:
            continue
        names = [when for (channel, name), when in list(delays.first_seen.items())
                 if channel == entry.channel and abs(int(name.split("/")[-1].split(".")[0]) / 1000 - entry.start) < 0.3]
        waits.append(min(names) - entry.listed_at if names else 999.0)
    waits.sort()
    worst = waits[int(len(waits) * 0.99)] if waits else 999.0
    goal = TARGET / 2 + 1
    table.row("listed by us after the source listed it, 99 of 100", f"within {goal:.1f} s",
              f"{worst:.2f} s ({len(waits)} segments, median {waits[len(waits) // 2] if waits else 0:.2f} s)",
              worst <= goal)


def killed(table, stack, seconds, chance):
    pauses = sorted(chance.uniform(0, seconds) for _ in range(KILLS))
    began, when = time.time(), []
    for pause in pauses:
        time.sleep(max(3.0, began + pause - time.time()))
        stack.kill_service()
        when.append(datetime.datetime.now().strftime("%H:%M:%S"))
        stack.start_service()
    time.sleep(max(5.0, began + seconds - time.time()))
    table.row("SIGKILL and restart at once", f"{KILLS} times", f"{len(when)} times at {' '.join(when)}",
              len(when) == KILLS)


def show_segments(table, stack, settled):
    """Every published segment of every channel is listed once and has its bytes."""
    missing = twice = wrong = total = 0
    began = min(entry.start for entry in ledger.read(stack.ledger))
    for (channel, _), entries in ledger.by_rendition(ledger.read(stack.ledger)).items():
        query = f"begintime={int(began * 1000) - 1000}&endtime={int(settled * 1000)}"
        listed = playlist.media(f"{stack.base}/live/{channel}/index.m3u8?{query}")
        hashes = [playlist.digest(segment.url) for segment in listed.segments]
        known = {entry.sha256 for entry in entries}
        wanted = [entry for entry in entries if entry.end < settled - 1]
        first = next((i for i, entry in enumerate(wanted) if entry.sha256 in set(hashes)), len(wanted))
        total += len(wanted) - first
        missing += sum(entry.sha256 not in set(hashes) for entry in wanted[first:])
        twice += len(hashes) - len(set(hashes))
        wrong += sum(digest not in known for digest in hashes)
    table.row(f"segments of {CHANNELS} channels, kills included", "none lost",
              f"{missing} of {total} lost", missing == 0 and total > 0)
    table.row("segments listed twice", "none", str(twice), twice == 0)
    table.row("bytes that the origin did not publish", "none", str(wrong), wrong == 0)


def show_rows(table, stack):
    """Every row has its file, of the length that the row says."""
    rows = stack.sql(
        "SELECT c.slug, r.name, s.start_us / 1000, s.revision, st.container, s.stored_bytes FROM segment s "
        "JOIN rendition r USING (rendition_id) JOIN channel c ON c.channel_id = r.channel_id JOIN state st USING (state_id)")
    bad = 0
    for slug, rendition, start, revision, container, size in rows:
        when = datetime.datetime.fromtimestamp(int(start) / 1000, datetime.timezone.utc)
        name = f"{start}.{container}" if revision == "0" else f"{start}-{revision}.{container}"
        path = os.path.join(stack.path("archive"), slug, rendition, when.strftime("%Y-%m-%d"), when.strftime("%H"), name)
        if not os.path.exists(path) or os.path.getsize(path) != int(size):
            bad += 1
    same = stack.sql("SELECT count(*) FROM (SELECT 1 FROM segment GROUP BY rendition_id, feed_id, origin_number "
                     "HAVING count(*) > 1) AS t")
    table.row("rows without their bytes", "none", f"{bad} of {len(rows)}", bad == 0 and len(rows) > 0)
    table.row("identities with two rows", "none", same[0][0], same[0][0] == "0")
