"""What a download costs beside curl and yt-dlp, and what becomes of a bad source: two tables; a missed goal fails.

Arguments: the program, a folder for media, the program yt-dlp, rounds.
"""
import http.server
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

#: A window of two hours.
SEGMENTS, SEGMENT_SECONDS, BITS_PER_SECOND = 1800, 4, 1_000_000
LEAST_RATE, MOST_CPU, MOST_MEGABYTES = 0.8, 1.5, 64
FAULTY_SEGMENTS = 6


def encode(folder, count):
    """A TS playlist of so many different segments."""
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
         f"testsrc2=size=640x360:rate=25:duration={count * SEGMENT_SECONDS}", "-f", "lavfi", "-i",
         f"sine=duration={count * SEGMENT_SECONDS}", "-c:v", "libx264", "-preset", "ultrafast", "-b:v",
         str(BITS_PER_SECOND), "-maxrate", str(BITS_PER_SECOND), "-bufsize", str(BITS_PER_SECOND), "-nal-hrd", "cbr",
         "-g", "100", "-pix_fmt", "yuv420p", "-c:a", "aac", "-f", "hls", "-hls_time", str(SEGMENT_SECONDS),
         "-hls_playlist_type", "vod", os.path.join(folder, "index.m3u8")], check=True)


def playlist(names):
    lines = ["#EXTM3U", "#EXT-X-VERSION:3", f"#EXT-X-TARGETDURATION:{SEGMENT_SECONDS}", "#EXT-X-PLAYLIST-TYPE:VOD"]
    for name in names:
        lines += [f"#EXTINF:{SEGMENT_SECONDS},", name]
    return "\n".join(lines + ["#EXT-X-ENDLIST", ""])


class Nginx:
    """Debian's nginx with one worker on a free port."""

    def __init__(self, root, folder):
        self.port = 18000 + os.getpid() % 10000
        path = os.path.join(root, "nginx.conf")
        with open(path, "w") as file:
            file.write(
                f"daemon off; worker_processes 1; pid {root}/nginx.pid; error_log stderr; events {{}}\n"
                f"http {{ access_log off; sendfile on; keepalive_requests 100000; client_body_temp_path {root}/body;\n"
                f"server {{ listen 127.0.0.1:{self.port}; root {folder}; }} }}\n")
        self.child = subprocess.Popen(["/usr/sbin/nginx", "-c", path, "-e", "stderr"])
        self.url = f"http://127.0.0.1:{self.port}"
        time.sleep(1)

    def close(self):
        self.child.terminate()
        self.child.wait(20)


def measured(command, cwd):
    """Seconds, processor seconds with children, and megabytes of the largest process."""
    begun = time.monotonic()
    child = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    words = child.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{command[0]} ended with {child.returncode}: {words[-500:]}")
    return time.monotonic() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def costs(program, yt_dlp, media, rounds):
    web = os.path.join(media, "web")
    os.makedirs(web)
    encode(media, 10)
    made = sorted(name for name in os.listdir(media) if name.endswith(".ts"))
    names = [f"segment{number:04}.ts" for number in range(SEGMENTS)]
    for number, name in enumerate(names):
        os.link(os.path.join(media, made[number % len(made)]), os.path.join(web, name))
    with open(os.path.join(web, "index.m3u8"), "w") as file:
        file.write(playlist(names))
    server = Nginx(media, web)
    with open(os.path.join(media, "urls"), "w") as file:
        file.writelines(f'url = "{server.url}/{name}"\noutput = "{name}"\n' for name in names)
    tools = {
        "curl": ["curl", "-sS", "--parallel", "--parallel-max", "4", "-K", os.path.join(media, "urls")],
        "backcast": [program, "download", f"{server.url}/index.m3u8", "--parallel", "4", "--quiet", "--to", "."],
        "yt-dlp": [yt_dlp, "--no-config", "-q", "--no-progress", "-N", "4", "-o", "out.mp4", f"{server.url}/index.m3u8"],
    }
    seen = {name: [] for name in tools}
    try:
        for turn in range(rounds):
            for name in tools if turn == 0 else ["curl", "backcast"] if turn % 2 else ["backcast", "curl"]:
                folder = tempfile.mkdtemp(dir=media)
                seen[name].append(measured(tools[name], folder))
                shutil.rmtree(folder)
    finally:
        server.close()
    # Of several rounds the one in the middle.
    return {name: [sorted(column)[len(column) // 2] for column in zip(*runs)] for name, runs in seen.items()}


def show_costs(seen):
    curl, own = seen["curl"], seen["backcast"]
    rate, cpu = curl[0] / own[0], own[1] / curl[1]
    print(f"\n{SEGMENTS:,} segments of {SEGMENT_SECONDS} s from nginx on this machine, four transfers at once:\n")
    print("| program | time | processor time | memory |\n|---|---|---|---|")
    for name, (seconds, processor, megabytes) in seen.items():
        print(f"| {name} | {seconds:.1f} s | {processor:.2f} s | {megabytes:.0f} MB |")
    rows = [("rate beside curl", rate, f"at least {LEAST_RATE}", rate >= LEAST_RATE),
            ("processor time beside curl", cpu, f"at most {MOST_CPU}", cpu <= MOST_CPU),
            ("memory, MB", own[2], f"at most {MOST_MEGABYTES}", own[2] <= MOST_MEGABYTES)]
    print("\n| download | seen | goal | verdict |\n|---|---|---|---|")
    for name, value, goal, is_met in rows:
        print(f"| {name} | {value:.2f} | {goal} | {'met' if is_met else 'missed'} |")
    return all(row[3] for row in rows)


class FaultySource:
    """An origin in which one segment is bad, or whose tokens change."""

    def __init__(self, folder, fault):
        self.lists, self.segments, self.least = 0, 0, 0
        source = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                status, body = source.answer(self.path, folder, fault)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Content-Type", "application/vnd.apple.mpegurl" if ".m3u8" in self.path else "video/mp2t")
                self.end_headers()
                self.wfile.write(body)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # A program that gives up closes its connections.
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/index.m3u8"

    def answer(self, path, folder, fault):
        name, _, query = os.path.basename(path).partition("?")
        with open(os.path.join(folder, name), "rb") as file:
            body = file.read()
        if name.endswith(".m3u8"):
            self.lists += 1
            return 200, re.sub(rb"\.ts", b".ts?t=%d" % self.lists, body) if fault == "token" else body
        self.segments += 1
        # After two segments only the tokens of lists that are read then count.
        if fault == "token" and self.segments == 3:
            self.least = self.lists + 1
        if fault == "token" and int(query.removeprefix("t=")) < self.least:
            return 403, b""
        if "2.ts" in name and fault == "hole":
            return 404, b""
        if "2.ts" in name and fault == "corrupt":
            return 200, bytes(len(body))
        return 200, body


def outcome(command, cwd):
    child = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    words = [line for line in child.stderr.splitlines() if "rror" in line]
    return child.returncode, words[-1][:110] if words else ""


def faults(program, yt_dlp, media):
    folder = os.path.join(media, "faulty")
    os.makedirs(folder)
    encode(folder, FAULTY_SEGMENTS)
    print("\n| source | backcast | yt-dlp |\n|---|---|---|")
    for fault in ["hole", "token", "corrupt"]:
        cells = []
        for name in ["backcast", "yt-dlp"]:
            source = FaultySource(folder, fault)
            place = tempfile.mkdtemp(dir=media)
            command = [program, "download", source.url, "--quiet", "--id", "a", "--to", "."] if name == "backcast" else [
                yt_dlp, "--no-config", "--no-progress", "-o", "out.mp4", source.url]
            status, words = outcome(command, place)
            cells.append(f"status {status}; {seconds(place)} of {FAULTY_SEGMENTS * SEGMENT_SECONDS} s{'; ' + words if words else ''}")
            source.server.shutdown()
        print(f"| {fault} | {cells[0]} | {cells[1]} |", flush=True)


def seconds(folder):
    """How much plays of what a program has made."""
    task = os.path.join(folder, "a")
    if os.path.isdir(task):
        return SEGMENT_SECONDS * sum(name.endswith(".ts") for name in os.listdir(os.path.join(task, "v0")))
    path = os.path.join(folder, "out.mp4")
    if not os.path.exists(path):
        return 0
    done = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-stats", "-i", path, "-map", "0:v", "-f", "null", "-"],
        capture_output=True, text=True, timeout=120)
    frames = re.findall(r"frame=\s*(\d+)", done.stderr)
    return int(frames[-1]) / 25 if frames else 0


def main():
    program, folder, yt_dlp, rounds = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, limits[1]), limits[1]))
    faults(program, yt_dlp, folder)
    sys.exit(0 if show_costs(costs(program, yt_dlp, folder, rounds)) else 1)


main()
