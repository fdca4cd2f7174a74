"""VLC without a window, asked over its remote control how much it has decoded."""
import os
import pwd
import re
import socket
import time

from stack import free_port

from .programs import Program
from .running import AUDIO_FRAME_SECONDS, FRAMES_PER_SECOND, Played, end, found, start

#: VLC refuses to run as root.
ACCOUNT = "nobody"


class VLC(Program):
    label = "VLC"
    #: It shows nothing while it fills its cache again, a second unless told otherwise.
    joint = 1.5

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
        return self.watch(url, 120, None)

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
