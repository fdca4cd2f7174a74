"""What becomes of a download from a source with a fault, by Backcast and by yt-dlp: a table."""
import http.server
import os
import re
import subprocess
import tempfile
import threading

SEGMENTS, SEGMENT_SECONDS, BITS_PER_SECOND = 6, 4, 1_000_000


def encode(folder):
    """A TS playlist of some different segments."""
    seconds, rate = SEGMENTS * SEGMENT_SECONDS, str(BITS_PER_SECOND)
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=size=640x360:rate=25:duration={seconds}",
         "-f", "lavfi", "-i", f"sine=duration={seconds}", "-c:v", "libx264", "-preset", "ultrafast", "-b:v", rate, "-maxrate",
         rate, "-bufsize", rate, "-nal-hrd", "cbr", "-g", "100", "-pix_fmt", "yuv420p", "-c:a", "aac", "-f", "hls",
         "-hls_time", str(SEGMENT_SECONDS), "-hls_playlist_type", "vod", os.path.join(folder, "index.m3u8")], check=True)


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


def show_faults(program, yt_dlp, media):
    folder = os.path.join(media, "faulty")
    os.makedirs(folder)
    encode(folder)
    print("\n| source | backcast | yt-dlp |\n|---|---|---|")
    for fault in ["hole", "token", "corrupt"]:
        cells = []
        for name in ["backcast", "yt-dlp"]:
            source = FaultySource(folder, fault)
            place = tempfile.mkdtemp(dir=media)
            command = [program, "download", source.url, "--quiet", "--id", "a", "--to", "."] if name == "backcast" else [
                yt_dlp, "--no-config", "--no-progress", "-o", "out.mp4", source.url]
            status, words = outcome(command, place)
            cells.append(f"status {status}; {seconds(place)} of {SEGMENTS * SEGMENT_SECONDS} s{'; ' + words if words else ''}")
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
