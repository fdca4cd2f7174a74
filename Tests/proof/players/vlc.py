"""VLC without a window, asked over its remote control how much it has decoded."""
import os
import pwd
import re
import select
import socket
import subprocess
import time

from stack import free_port

from . import times
from .programs import Program
from .running import AUDIO_FRAME_SECONDS, FRAMES_PER_SECOND, Played, end, found, start
from .strip import squares

#: VLC refuses to run as root.
ACCOUNT = "nobody"
LONGEST_SECONDS = 120


class VLC(Program):
    label = "VLC"
    #: It shows nothing while it fills its cache again, a second unless told otherwise.
    joint = leap = 1.5

    def versioned(self):
        return "VLC " + self.version_of([*self.command(), "--version"], r"VLC version (\S+)")

    def command(self):
        """VLC as an account that it accepts, with a home that it may write."""
        vlc = found("cvlc")
        home = os.path.join(self.folder, "vlc-home")
        os.makedirs(home, exist_ok=True)
        if os.getuid() != 0:
            return ["env", f"HOME={home}", vlc]
        account = pwd.getpwnam(ACCOUNT)
        os.chown(home, account.pw_uid, account.pw_gid)
        return ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups", "env",
                f"HOME={home}", vlc]

    def play(self, url):
        return self.watch(url, LONGEST_SECONDS, None)

    def follow(self, url, seconds):
        return self.watch(url, seconds * 3, seconds)

    def watch(self, url, longest, enough):
        """Plays to the end, or until enough seconds were decoded."""
        port = free_port()
        log = os.path.join(self.folder, "vlc.log")
        with open(log, "w") as file:
            child = start(
                [*self.command(), "-I", "oldrc", "--rc-fake-tty", "--rc-host", f"127.0.0.1:{port}", "--vout", "vdummy",
                 "--aout", "adummy", "--play-and-exit", url], stdout=file, stderr=file)
        frames = sounds = 0
        until = time.time() + longest
        try:
            while child.poll() is None and time.time() < until:
                time.sleep(0.2)
                said = self.ask(port, "stats")
                frames = max(frames, self.counted(said, "frames"))
                sounds = max(sounds, self.counted(said, "buffers"))
                if enough and frames >= enough * FRAMES_PER_SECOND:
                    break
            done = enough and frames >= enough * FRAMES_PER_SECOND or child.poll() == 0
        finally:
            if child.poll() is None:
                end(child)
        with open(log, errors="replace") as file:
            errors = [line.strip() for line in file if " error: " in line and "dbus" not in line]
        fault = "" if done else f"not at the end after {longest} s {(errors or [''])[-1]}".strip()
        return Played(frames / FRAMES_PER_SECOND, sounds * AUDIO_FRAME_SECONDS, fault)

    def shown(self, url):
        """Each frame that it puts on its screen, by its number alone: it plays in real time, leaves out frames at
        joints and tells no times."""
        return self.screened(url)

    def seek(self, url, begin, _length):
        return self.screened(url, f"--start-time={begin}")

    def screened(self, url, *options):
        """Its screen is a pipe here, which takes whole pictures in YUV4MPEG2."""
        pipe = os.path.join(self.folder, "vlc-screen")
        if not os.path.exists(pipe):
            os.mkfifo(pipe)
            os.chmod(pipe, 0o666)
        screen = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        child = start(
            [*self.command(), "-I", "dummy", "--vout", "yuv", "--yuv-file", pipe, "--yuv-yuv4mpeg2",
             "--avcodec-hw=none", "--no-osd", "--no-video-title-show", "--aout", "adummy", "--play-and-exit", *options,
             url],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pictures, until = Pictures(), time.time() + LONGEST_SECONDS
        try:
            while time.time() < until:
                over = child.poll() is not None
                if select.select([screen], [], [], 0.2)[0]:
                    pictures.take(os.read(screen, 1 << 20))
                elif over:
                    break
            fault = "" if child.poll() == 0 else f"not at the end after {LONGEST_SECONDS} s"
        finally:
            if child.poll() is None:
                end(child)
            os.close(screen)
        return [(None, number) for number in pictures.numbers], fault

    @staticmethod
    def counted(said, what):
        """Pictures or sounds that were decoded in time or too late; `decoded` itself counts each twice."""
        return sum(map(int, re.findall(rf"{what} (?:displayed|played|lost) *: *(\d+)", said)))

    @staticmethod
    def ask(port, command):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                connection.settimeout(1)
                connection.sendall(f"{command}\n".encode())
                said = b""
                while b"end of statistical info" not in said and len(said) < 65_536:
                    piece = connection.recv(4096)
                    if not piece:
                        break
                    said += piece
                return said.decode("utf-8", "replace")
        except OSError:
            return ""


class Pictures:
    """Reads YUV4MPEG2 as it comes and keeps the number in each picture."""

    def __init__(self):
        self.numbers, self.pending, self.width = [], bytearray(), None

    def take(self, data):
        self.pending += data
        while (line := self.pending.find(b"\n")) >= 0:
            if self.width is None:
                self.width, self.height = (int(re.search(side, self.pending)[1]) for side in (rb" W(\d+)", rb" H(\d+)"))
                del self.pending[:line + 1]
                continue
            luma = self.width * self.height
            picture = line + 1
            if len(self.pending) < picture + luma * 3 // 2:
                break
            light = self.pending[picture:picture + luma]
            self.numbers.append(times.number(squares(light, self.width, self.width, self.height)))
            del self.pending[:picture + luma * 3 // 2]
