"""What the download of a two-hour window costs beside curl and yt-dlp: a table that fails on a missed goal.

Arguments: the program, the program yt-dlp, rounds. The window is recorded by the service from a playlist that lists two hours.
"""
import datetime
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from download_faults import show_faults  # noqa: E402
from stack import Process, Stack, free_port, request, wait_for  # noqa: E402
from table import Table  # noqa: E402

SEGMENTS, SEGMENT_SECONDS, BITS_PER_SECOND = 1800, 4, 2_000_000
SECONDS = SEGMENTS * SEGMENT_SECONDS
#: What is encoded once, and then repeated with times that go on.
LOOP_SECONDS = 40
LEAST_RATE, MOST_CPU, MOST_MEGABYTES = 0.8, 1.5, 64
PARALLEL = "4"
#: In memory: file systems need more time for new files while they still work at removed ones. TARGET for another.
TARGET = os.environ.get("TARGET") or "/dev/shm"


def make_media(folder):
    """Two hours of different segments at a constant rate, made once and kept: encoding must not compete with what is measured."""
    if os.path.exists(os.path.join(folder, f"{SEGMENTS - 1}.ts")):
        return
    shutil.rmtree(folder, ignore_errors=True)
    made, rate = folder + ".new", f"{BITS_PER_SECOND * 90 // 100000}k"
    shutil.rmtree(made, ignore_errors=True)
    os.makedirs(made)
    loop = os.path.join(made, "loop.mp4")
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=size=640x360:rate=25:duration={LOOP_SECONDS}",
         "-f", "lavfi", "-i", f"sine=sample_rate=48000:duration={LOOP_SECONDS}", "-c:v", "libx264", "-preset", "ultrafast",
         "-pix_fmt", "yuv420p", "-g", str(25 * SEGMENT_SECONDS), "-sc_threshold", "0", "-b:v", rate, "-minrate", rate,
         "-maxrate", rate, "-bufsize", rate, "-x264-params", "nal-hrd=cbr", "-c:a", "aac", "-b:a", "96k", loop], check=True)
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-stream_loop", "-1", "-i", loop, "-t", str(SECONDS), "-c", "copy", "-f",
         "segment", "-segment_time", str(SEGMENT_SECONDS), "-segment_time_delta", "0.1", "-segment_format", "mpegts",
         os.path.join(made, "%d.ts")], check=True)
    os.remove(loop)
    os.rename(made, folder)


class Window:
    """A service with a window of two hours."""

    def __init__(self, folder, media):
        self.folder, self.media, self.stack = folder, media, Stack(os.path.join(folder, "stack"))

    def start(self):
        self.stack.start_database()
        self.stack.start_service(BACKCAST_LOG_LEVEL="warning")
        port = free_port()
        configuration = os.path.join(self.folder, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(
                f"daemon off; worker_processes 1; pid {self.folder}/nginx.pid; error_log stderr; events {{}}\n"
                f"http {{ access_log off; sendfile on; client_body_temp_path {self.folder}/body;\n"
                f"server {{ listen 127.0.0.1:{port}; location /media/ {{ alias {self.media}/; }}\n"
                f"location = /index.m3u8 {{ alias {self.folder}/index.m3u8; }} }} }}\n")
        self.write_playlist()
        self.stack.origins.append(Process(
            ["/usr/sbin/nginx", "-c", configuration, "-e", "stderr"], os.path.join(self.folder, "nginx.log")))
        self.stack.add_channel("bench", f"http://127.0.0.1:{port}/index.m3u8")
        wait_for("the window", 600, lambda: self.stack.sql("SELECT count(*) FROM segment")[0][0] == str(SEGMENTS))
        self.stack.wait_until_settled("bench", self.begin.timestamp() + SECONDS - SEGMENT_SECONDS)
        for origin in self.stack.origins:
            origin.end()
        print(f"recorded {SEGMENTS:,} segments of {SEGMENT_SECONDS} s", flush=True)

    def write_playlist(self):
        """A live playlist that lists the two hours before now."""
        now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        self.begin = now - datetime.timedelta(seconds=SECONDS)
        lines = ["#EXTM3U", "#EXT-X-VERSION:3", f"#EXT-X-TARGETDURATION:{SEGMENT_SECONDS}", "#EXT-X-MEDIA-SEQUENCE:1",
                 f"#EXT-X-PROGRAM-DATE-TIME:{self.begin.isoformat()}"]
        for number in range(SEGMENTS):
            lines += [f"#EXTINF:{SEGMENT_SECONDS},", f"media/{number}.ts"]
        with open(os.path.join(self.folder, "index.m3u8"), "w") as file:
            file.write("\n".join(lines + [""]))

    @property
    def time(self):
        return self.begin.strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def channel(self):
        return f"{self.stack.base}/live/bench/index.m3u8"

    @property
    def address(self):
        return f"{self.channel}?begintime={self.time}&duration={SECONDS}"

    def segments(self):
        lines = request(self.address).text.splitlines()
        names = [line for line in lines if line and not line.startswith("#")]
        assert len(names) == SEGMENTS, f"the window has {len(names)} segments"
        return [f"{self.stack.base}/live/bench/{name}" for name in names]


def measured(command, cwd):
    """Seconds, processor seconds with children, and the most megabytes that the program itself had resident."""
    begun, most, log = time.monotonic(), 0, os.path.join(cwd, "errors")
    with open(log, "wb") as errors:
        child = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=errors)
    while True:
        most = max(most, most_resident(child.pid))
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        time.sleep(0.02)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        with open(log, errors="replace") as file:
            raise RuntimeError(f"{command[0]} ended with {child.returncode}: {file.read()[-500:]}")
    return time.monotonic() - begun, usage.ru_utime + usage.ru_stime, most


def most_resident(pid):
    """Megabytes; 0 for a process that has ended."""
    with open(f"/proc/{pid}/status") as file:
        fields = dict(line.split(":", 1) for line in file)
    return int(fields["VmHWM"].split()[0]) / 1024 if "VmHWM" in fields else 0


def stored(folder):
    """Bytes of the segments that a program has stored."""
    return sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names
               if name.endswith(".ts") and not name.startswith("."))


def costs(program, yt_dlp, window, target, rounds):
    urls = os.path.join(window.folder, "urls")
    with open(urls, "w") as file:
        file.writelines(f'url = "{url}"\noutput = "{number:04}.ts"\n' for number, url in enumerate(window.segments()))
    tools = {
        "curl --parallel": ["curl", "-sSf", "--parallel", "--parallel-max", PARALLEL, "-K", urls],
        "backcast download": [program, "download", window.channel, "--begin", window.time, "--duration", str(SECONDS),
                              "--parallel", PARALLEL, "--quiet", "--to", "."],
        "yt-dlp": [yt_dlp, "--no-config", "-q", "--no-progress", "-N", PARALLEL, "-o", "out.mp4", window.address],
    }
    seen, byte_counts = {name: [] for name in tools}, {}
    for turn in range(rounds):
        own = list(tools)[:2]
        for name in tools if turn == 0 else own[::-1] if turn % 2 else own:
            folder = tempfile.mkdtemp(dir=target)
            seen[name].append(measured(tools[name], folder))
            byte_counts[name] = stored(folder)
            shutil.rmtree(folder)
    own, curl = byte_counts["backcast download"], byte_counts["curl --parallel"]
    assert own == curl, f"backcast stored {own} bytes and curl {curl}"
    # Of several rounds the one in the middle.
    middle = {name: [sorted(column)[len(column) // 2] for column in zip(*runs)] for name, runs in seen.items()}
    return middle, own


def show_costs(seen, byte_count):
    print(f"\n{SEGMENTS:,} segments of {SEGMENT_SECONDS} s, {byte_count / 1e6:,.0f} MB, {PARALLEL} transfers at once, to {TARGET}:\n")
    print("| program | time | processor time | memory |\n|---|---|---|---|")
    for name, (seconds, processor, megabytes) in seen.items():
        print(f"| {name} | {seconds:.1f} s | {processor:.2f} s | {megabytes:.0f} MB |")
    curl, own = seen["curl --parallel"], seen["backcast download"]
    rate, cpu = curl[0] / own[0], own[1] / curl[1]
    table = Table()
    table.row("rate beside curl", f"at least {LEAST_RATE}", f"{rate:.2f}", rate >= LEAST_RATE)
    table.row("processor time beside curl", f"at most {MOST_CPU}", f"{cpu:.2f}", cpu <= MOST_CPU)
    table.row("memory", f"at most {MOST_MEGABYTES} MB", f"{own[2]:.0f} MB", own[2] <= MOST_MEGABYTES)
    return table.close()


def main():
    program, yt_dlp, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, limits[1]), limits[1]))
    folder = tempfile.mkdtemp(prefix="backcast-downloads-")
    os.chmod(folder, 0o755)
    media = os.path.join(tempfile.gettempdir(), "backcast-download-media")
    window = Window(folder, media)
    try:
        show_faults(program, yt_dlp, folder)
        make_media(media)
        window.start()
        target = tempfile.mkdtemp(prefix="backcast-downloads-", dir=TARGET)
        try:
            is_met = show_costs(*costs(program, yt_dlp, window, target, rounds))
        finally:
            shutil.rmtree(target, ignore_errors=True)
    finally:
        window.stack.stop()
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if is_met else 1)


if __name__ == "__main__":
    main()
