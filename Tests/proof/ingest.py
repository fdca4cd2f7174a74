"""What recording costs: many channels from one live origin, beside ffmpeg that copies some of them. `make bench-ingest`.

Every figure is of the same span of time: processor time of the service, of PostgreSQL and of ffmpeg, syncs of the service,
statements of PostgreSQL, memory. Prints a table and fails on a miss. CHANNELS and SECONDS_TO_RUN change its size; goals are for 200
channels of 5 Mb/s and segments of 4 s, and only what they have shown is saved: bench/ingest.json and docs/PERFORMANCE.md.
"""
import glob
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))

import documents  # noqa: E402
from load import resident  # noqa: E402
from stack import BINARIES, Process, Stack, wait_for  # noqa: E402
from table import Table  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CHANNELS = int(os.environ.get("CHANNELS") or 200)
SECONDS = int(os.environ.get("SECONDS_TO_RUN") or 60)
# What runs beside the service is a sample: ffmpeg is one process a channel, and none knows of the others.
COPIES = min(CHANNELS, int(os.environ.get("COPIES") or 8))
SEGMENT_SECONDS = 4
BITS_PER_SECOND = 5_000_000
MEDIA_SEGMENTS = 60
TICKS = os.sysconf("SC_CLK_TCK")


def make_media(folder):
    """Minutes of video at a constant rate, made once and kept: encoding must not compete with what is measured."""
    ready = os.path.join(folder, f"{MEDIA_SEGMENTS - 1}.ts")
    if os.path.exists(ready):
        return
    shutil.rmtree(folder, ignore_errors=True)
    made = folder + ".new"
    shutil.rmtree(made, ignore_errors=True)
    os.makedirs(made)
    rate = f"{BITS_PER_SECOND * 90 // 100000}k"
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25", "-f", "lavfi", "-i",
         "sine=sample_rate=48000", "-t", str(MEDIA_SEGMENTS * SEGMENT_SECONDS), "-c:v", "libx264", "-preset", "ultrafast",
         "-pix_fmt", "yuv420p", "-g", str(25 * SEGMENT_SECONDS), "-sc_threshold", "0", "-b:v", rate, "-minrate", rate,
         "-maxrate", rate, "-bufsize", rate, "-x264-params", "nal-hrd=cbr", "-c:a", "aac", "-b:a", "128k", "-f", "segment",
         "-segment_time", str(SEGMENT_SECONDS), "-segment_format", "mpegts", os.path.join(made, "%d.ts")], check=True)
    for name in os.listdir(made):
        if int(name.split(".")[0]) >= MEDIA_SEGMENTS:
            os.remove(os.path.join(made, name))
    os.rename(made, folder)


def processor_seconds(pid):
    """Of a process and of the children that it has waited for; zero when it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return sum(int(field) for field in fields[11:15]) / TICKS


def children(pid):
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                head, tail = file.read().rsplit(")", 1)
        except OSError:
            continue
        if tail.split()[1] == str(pid):
            found.append(int(head.split()[0]))
    return found


class Bench:
    def __init__(self, folder):
        self.folder = folder
        self.stack = Stack(folder)
        self.copies = []

    def start(self):
        media = os.path.join(tempfile.gettempdir(), "backcast-ingest-media")
        make_media(media)
        self.start_database()
        log = os.path.join(self.folder, "origin.log")
        self.stack.origins.append(Process(
            [sys.executable, os.path.join(HERE, "loop_origin.py"), media, str(CHANNELS), str(SEGMENT_SECONDS)], log))
        wait_for("the origin", 30, lambda: self.stack.has_said(log, "port"))
        with open(log) as file:
            self.origin = f"http://127.0.0.1:{int(file.readline().split()[1])}"
        self.counts = os.path.join(self.folder, "syncs")
        with open(self.counts, "wb") as file:
            file.write(bytes(32))
        library = os.path.join(self.folder, "syncs.so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, os.path.join(HERE, "syncs.c"), "-ldl"], check=True)
        self.stack.start_service(LD_PRELOAD=library, SYNC_COUNTS=self.counts)
        for index in range(CHANNELS):
            self.stack.add_channel(f"ch{index}", f"{self.origin}/{index}/index.m3u8")
        wait_for("all channels", 120, lambda: self.number("SELECT count(*) FROM line WHERE watermark_us > 0") == CHANNELS)
        for index in range(COPIES):
            folder = os.path.join(self.folder, f"copy{index}")
            os.makedirs(folder)
            self.copies.append(Process(
                ["ffmpeg", "-nostdin", "-v", "error", "-i", f"{self.origin}/{index}/index.m3u8", "-c", "copy", "-f", "segment",
                 "-segment_time", str(SEGMENT_SECONDS), os.path.join(folder, "%05d.ts")],
                os.path.join(self.folder, "ffmpeg.log")))
        time.sleep(20)

    def start_database(self):
        """With the extension that counts statements; the service has a role of its own, and only its statements count."""
        stack = self.stack
        stack.start_database()
        self.administrator = stack.database.replace("//backcast@", "//postgres@")
        self.sql("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
        stack.stop_database()
        stack.start_database()
        self.sql("CREATE EXTENSION pg_stat_statements")
        with open(stack.path("postgres/data/postmaster.pid")) as file:
            self.postmaster = int(file.readline())

    def sql(self, text):
        printed = subprocess.run(
            ["psql", "-X", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", text, self.administrator], check=True,
            stdout=subprocess.PIPE, text=True).stdout
        return [line.split("\t") for line in printed.splitlines()]

    def number(self, text):
        return int(self.sql(text)[0][0])

    def reading(self):
        with open(self.counts, "rb") as file:
            syncs = sum(struct.unpack("4q", file.read()))
        own = "FROM pg_stat_statements WHERE userid = 'backcast'::regrole"
        return {
            "time": time.time(),
            "service": processor_seconds(self.stack.service.pid),
            "database": sum(processor_seconds(pid) for pid in [self.postmaster, *children(self.postmaster)]),
            "ffmpeg": sum(processor_seconds(copy.pid) for copy in self.copies),
            "syncs": syncs,
            "statements": self.number(f"SELECT coalesce(sum(calls), 0) {own}"),
            "commits": self.number(f"SELECT coalesce(sum(calls), 0) {own} AND query = 'COMMIT'"),
            "wal": self.number("SELECT wal_sync FROM pg_stat_wal"),
            "segments": self.number("SELECT count(*) FROM segment"),
        }

    def lost(self):
        """Numbers of the origin that no row has, from the first one of each channel to the last but what is on its way."""
        time.sleep(3 * SEGMENT_SECONDS)
        short = self.number(
            "SELECT coalesce(sum(newest - oldest + 1 - held), 0) FROM (SELECT max(origin_number) AS newest, "
            "min(origin_number) AS oldest, count(DISTINCT origin_number) AS held FROM segment GROUP BY rendition_id) AS t")
        behind = self.number(
            "SELECT count(*) FROM (SELECT max(arrived_us) AS newest FROM segment GROUP BY rendition_id) AS t WHERE newest < "
            f"(extract(epoch FROM clock_timestamp()) - {4 * SEGMENT_SECONDS}) * 1000000")
        return short + behind

    def show_statements(self):
        for calls, milliseconds, query in self.sql(
                "SELECT calls, round(total_exec_time), left(regexp_replace(query, '\\s+', ' ', 'g'), 110) "
                "FROM pg_stat_statements WHERE userid = 'backcast'::regrole ORDER BY calls DESC LIMIT 40"):
            print(f"{calls:>8} {milliseconds:>8} ms  {query}")

    def stop(self):
        for copy in self.copies:
            copy.end()
        self.stack.stop()


def show(table, bench, first, last):
    passed = {name: last[name] - first[name] for name in first}
    hours = passed["time"] / 3600
    stored = max(1, passed["segments"])
    service, database = passed["service"] / hours / CHANNELS, passed["database"] / hours / CHANNELS
    ffmpeg = passed["ffmpeg"] / hours / COPIES
    memory = resident(bench.stack.service.pid)[0]
    print(f"{CHANNELS} channels, {passed['time']:.0f} s, {stored} segments; {COPIES} of them copied by ffmpeg")
    print(f"processor seconds for each channel-hour: service {service:.1f}, PostgreSQL {database:.1f}, ffmpeg {ffmpeg:.1f}")
    print(f"service alone / ffmpeg {service / ffmpeg:.2f}; WAL syncs of PostgreSQL for each segment "
          f"{passed['wal'] / stored:.2f}; transactions a second {passed['commits'] / passed['time']:.1f}")
    syncs, statements = passed["syncs"] / stored, passed["statements"] / stored
    table.row("syncs for each segment", "1.2", f"{syncs:.2f}", syncs <= 1.2)
    table.row("statements for each segment", "0.3", f"{statements:.2f}", statements <= 0.3)
    table.row("processor time of service and PostgreSQL", "a third of ffmpeg's",
              f"{(service + database) / ffmpeg:.2f} ({service + database:.1f} s against {ffmpeg:.1f} s)",
              service + database <= ffmpeg / 3)
    table.row("resident memory for each channel", "1 MB", f"{memory / CHANNELS:.2f} MB ({memory} MB)", memory <= CHANNELS)
    lost = bench.lost()
    table.row("segments lost", "none", str(lost), lost == 0)


def main():
    assert os.path.exists(os.path.join(BINARIES, "backcast")), "build backcast for release first"
    folder = tempfile.mkdtemp(prefix="backcast-ingest-")
    os.chmod(folder, 0o755)
    table, bench, load = Table(), Bench(folder), os.getloadavg()[0]
    try:
        bench.start()
        bench.sql("SELECT pg_stat_statements_reset()")
        first = bench.reading()
        time.sleep(SECONDS)
        size = f"{CHANNELS} channels of {BITS_PER_SECOND // 1_000_000} Mb/s with segments of {SEGMENT_SECONDS} s for {SECONDS} s"
        show(table, bench, first, bench.reading())
        if os.environ.get("STATEMENTS"):
            bench.show_statements()
    finally:
        bench.stop()
        shutil.rmtree(folder, ignore_errors=True)
    if CHANNELS == 200:
        documents.save_recording(size, (load, os.getloadavg()[0]), table.rows)
    sys.exit(0 if table.close() else 1)


if __name__ == "__main__":
    main()
