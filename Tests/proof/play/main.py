"""Shows `backcast play` in browsers: a table of steps that fails on a miss.

Arguments: the program, a folder with `wheels/gradio-*.whl`, then browsers.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from players.tools import Tools  # noqa: E402
from play import looks  # noqa: E402
from play.drivers import Chromium, Firefox  # noqa: E402
from play.keys import Keyboard  # noqa: E402
from play.origin import Origin  # noqa: E402

#: A stream of 2 Mb/s from an origin that gives 3 Mb/s.
STREAM_SECONDS, SEGMENT_SECONDS, BYTES_PER_SECOND = 60, 2, 375_000
START_SECONDS, SEEK_SECONDS = 2.0, 3.0


def stream(folder):
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
         f"testsrc2=size=1280x720:rate=25:duration={STREAM_SECONDS}", "-f", "lavfi", "-i",
         f"sine=duration={STREAM_SECONDS}:sample_rate=44100", "-c:v", "libx264", "-preset", "ultrafast", "-b:v",
         "1850k", "-maxrate", "1850k", "-bufsize", "1850k", "-nal-hrd", "cbr", "-g", "50", "-pix_fmt", "yuv420p",
         "-c:a", "aac", "-b:a", "96k", "-f", "hls", "-hls_time", str(SEGMENT_SECONDS), "-hls_playlist_type", "vod",
         os.path.join(folder, "index.m3u8")], check=True)


class Proof:
    def __init__(self, program, browser, root):
        self.browser, self.rows, self.root = browser, [], root
        self.origin = Origin(os.path.join(root, "stream"), BYTES_PER_SECOND)
        self.folder = tempfile.mkdtemp(prefix="tasks-", dir=root)
        self.child = subprocess.Popen([program, "play", self.folder], stdout=subprocess.PIPE, text=True)
        self.page = self.child.stdout.readline().removeprefix("Ready: ").strip()

    def task(self):
        with urllib.request.urlopen(f"{self.page}downloads") as answer:
            items = json.load(answer)["items"]
        return items[0] if items else {"state": "removed", "progress": 0}

    def step(self, name, holds, limit=60):
        begun = time.monotonic()
        while not holds():
            if time.monotonic() - begun > max(limit, 60):
                break
            time.sleep(0.02)
        seconds = time.monotonic() - begun
        self.row(name, f"{seconds:.2f} s", f"{limit:g} s", holds() and seconds <= limit)

    def row(self, name, seen, goal, is_met):
        self.rows.append((name, seen, goal, "met" if is_met else "missed"))

    def click(self, action):
        self.browser.evaluate(f"document.querySelector('#tasks [data-do={action}]:not(.picture)').click();")

    def video(self, question):
        return self.browser.evaluate(f"const v = document.getElementById('video'); return {question};")

    def run(self):
        show = self.browser.evaluate
        self.browser.open(self.page)
        self.step("the page follows the events", lambda: show("return !document.getElementById('empty').hidden;"))
        looks.run(self, "empty")
        Keyboard(self).run()
        show(f"document.getElementById('url').value = '{self.origin.base}/index.m3u8';"
             "document.querySelector('#add button').click();")
        self.step("a URL is added", lambda: self.task()["state"] == "downloading")
        self.step("progress is shown", lambda: show(
            "return document.querySelector('[role=progressbar]').getAttribute('aria-valuenow') > 0;"))
        self.click("pause")
        self.step("paused", lambda: self.task()["state"] == "paused", 5)
        self.step("the page says so", lambda: show("return !!document.querySelector('[data-state=paused]');"), 5)
        looks.run(self, "paused")
        self.click("resume")
        self.step("resumed", lambda: self.task()["state"] == "downloading", 10)
        self.step("playable", lambda: show(
            "return !document.querySelector('#tasks .actions [data-do=play]').hidden;"))
        self.click("play")
        self.step("plays before it is complete", lambda: self.video("v.currentTime > 0.05"), START_SECONDS)
        self.video("v.currentTime = v.duration - 5")
        self.step("plays at the end after a seek", lambda: self.video("v.currentTime > v.duration - 4.95"), SEEK_SECONDS)
        self.step("and is not complete then", lambda: self.task()["progress"] < 0.9)
        show("document.getElementById('close').click();")
        self.step("completed", lambda: self.task()["state"] == "completed", 120)
        self.origin.close()
        self.click("play")
        self.step("plays with the origin off", lambda: self.video("v.currentTime > 1"), 10)
        looks.run(self, "player")
        show("document.getElementById('close').click();")
        self.click("remove")
        show("document.querySelector('#confirm [value=remove]').click();")
        self.step("removed", lambda: self.task()["state"] == "removed", 5)
        self.step("no row is left", lambda: show("return document.querySelectorAll('#tasks li').length === 0;"), 5)

    def close(self):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(20)
        self.browser.close()


def main():
    program, wheels, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    drivers = {"chromium": Chromium, "firefox": Firefox}
    is_met = True
    with tempfile.TemporaryDirectory(prefix="backcast-play-") as root:
        os.makedirs(os.path.join(root, "stream"))
        stream(os.path.join(root, "stream"))
        own = os.path.join(root, "bin", "backcast")
        os.makedirs(os.path.dirname(own))
        shutil.copy(program, own)
        os.makedirs(os.path.join(root, "share", "backcast"))
        with open(os.path.join(root, "share", "backcast", "hls.js"), "w") as file:
            file.write(Tools.of(wheels).hls_js())
        for name in names:
            proof = Proof(own, drivers[name](), root)
            try:
                proof.run()
            finally:
                proof.close()
            print(f"\n| {proof.browser.name} | seen | goal | verdict |\n|---|---|---|---|")
            for row in proof.rows:
                print("| " + " | ".join(row) + " |")
            is_met = is_met and all(row[3] == "met" for row in proof.rows)
    sys.exit(0 if is_met else 1)


main()
