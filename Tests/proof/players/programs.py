"""The players without a page: each opens a URL as a user would and tells how much came out of it."""
import json
import os
import re

from . import times
from .running import FRAMES_PER_SECOND, Missing, Played, fault_of, found, run

#: A player that decodes as fast as it can; a busy machine is not a fault.
FAST_SECONDS = 90


def decoded(path, seconds=FAST_SECONDS, options=()):
    """What the system's ffmpeg makes of a URL or a file; each frame counts, whatever its time says."""
    status, printed = run(
        [found("ffmpeg"), "-nostdin", "-v", "error", "-i", path, *options, "-fps_mode", "passthrough", "-f",
         "framecrc", "-"], seconds)
    kinds = dict(re.findall(r"^#media_type (\d+): (\w+)$", printed, re.M))
    rates = {stream: int(above) / int(below) for stream, above, below in
             re.findall(r"^#tb (\d+): (\d+)/(\d+)$", printed, re.M)}
    video, audio = 0.0, 0.0
    for stream, length in re.findall(r"^(\d+), +-?\d+, +-?\d+, +(\d+), +\d+, 0x\w+", printed, re.M):
        if kinds.get(stream) == "video":
            video += 1 / FRAMES_PER_SECOND
        else:
            audio += int(length) * rates[stream]
    words = [line for line in printed.splitlines() if not re.match(r"#|\d+,", line)]
    fault = fault_of(status, "\n".join(words), seconds)
    return Played(video, audio, fault or (words[0][:160] if words else ""))


class Program:
    """A player. One that `skips` passes over what any rendition lacks, as Media Source Extensions do."""

    skips = False
    #: Seconds of picture that may be missing at a joint: players skip to the next key frame.
    joint = 0.5

    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder
        self.name = self.versioned()

    def version_of(self, arguments, pattern):
        _, printed = run(arguments, 60)
        match = re.search(pattern, printed)
        return match.group(1) if match else "of no version"

    def python_program(self, name, package):
        if package in self.tools.missing:
            raise Missing(f"{package}: {self.tools.missing[package]}")
        return self.tools.program(name)


class FFmpeg(Program):
    label = "ffmpeg"

    def versioned(self):
        return "ffmpeg " + self.version_of([found("ffmpeg"), "-version"], r"version (\S+?)-")

    def play(self, url):
        return decoded(url)

    def follow(self, url, seconds):
        return decoded(url, seconds * 3, ["-t", str(seconds)])

    def shown(self, url):
        """Each picture: its second in the media and the number in it."""
        strip = "crop=iw:iw/20:0:ih-iw/20,scale=20:1:flags=area,format=gray"
        kept = os.path.join(self.folder, "strip.raw")
        status, printed = run(
            [found("ffmpeg"), "-nostdin", "-v", "error", "-y", "-i", url, "-an", "-vf", strip, "-fps_mode",
             "passthrough", "-f", "rawvideo", kept], FAST_SECONDS)
        with open(kept, "rb") as file:
            squares = file.read()
        frames = [squares[start:start + times.SQUARES] for start in range(0, len(squares), times.SQUARES)]
        shown = [(index / FRAMES_PER_SECOND, times.number(frame)) for index, frame in enumerate(frames)]
        return shown, fault_of(status, printed, FAST_SECONDS)


class PyAV(Program):
    label = "PyAV"

    def versioned(self):
        self.script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "decode.py")
        return self.version_of([self.python_program("python", "av"), self.script, "--version"], r"(PyAV .*)")

    def play(self, url):
        return self.decode(FAST_SECONDS, url)

    def follow(self, url, seconds):
        return self.decode(seconds * 3, url, str(seconds))

    def decode(self, longest, *arguments):
        status, printed = run([self.python_program("python", "av"), self.script, *arguments], longest)
        fault = fault_of(status, printed, longest)
        said = {} if fault else json.loads(printed.strip().splitlines()[-1])
        return Played(said.get("video", 0.0), said.get("audio", 0.0), fault)


class MPV(Program):
    label = "mpv"

    def versioned(self):
        return "mpv " + self.version_of([found("mpv"), "--version"], r"mpv (\S+)")

    def play(self, url):
        return self.watch(url, FAST_SECONDS)

    def follow(self, url, seconds):
        return self.watch(url, seconds * 3, f"--length={seconds}")

    def watch(self, url, longest, *options):
        status, printed = run(
            [found("mpv"), "--no-config", *options, "--msg-level=all=error,ffmpeg=v,statusline=no", "--vo=null", "--ao=null",
             "--untimed", "--hwdec=no", "--framedrop=no", "--vf=lavfi=[showinfo]", "--af=lavfi=[ashowinfo]", url],
            longest)
        frames = len(re.findall(r"_showinfo_\d+: n: *\d+ pts:", printed))
        samples = sum(map(int, re.findall(r"\bnb_samples:(\d+)", printed)))
        rate = re.search(r"\brate:(\d+)", printed)
        return Played(frames / FRAMES_PER_SECOND, samples / int(rate.group(1)) if rate else 0.0,
                      fault_of(status, printed, longest))


class GStreamer(Program):
    label = "GStreamer"

    def versioned(self):
        return "GStreamer " + self.version_of([found("gst-launch-1.0"), "--version"], r"GStreamer (\S+)") + " playbin"

    def play(self, url):
        """Small pictures and plain sound go into files, whose sizes tell the seconds."""
        kept = {kind: os.path.join(self.folder, f"gstreamer-{kind}.raw") for kind in ("video", "audio")}
        sinks = [f"video-sink=videoconvert ! videoscale ! video/x-raw,format=GRAY8,width=16,height=16 ! "
                 f"filesink location={kept['video']}",
                 f"audio-sink=audioconvert ! audioresample ! audio/x-raw,format=S16LE,channels=1,rate=32000 ! "
                 f"filesink location={kept['audio']}"]
        status, printed = run([found("gst-launch-1.0"), "playbin", f"uri={url}", *sinks], FAST_SECONDS)
        fault = fault_of(status, printed, FAST_SECONDS) or ("" if "Got EOS" in printed else "no end of stream")
        faults = re.findall(r"^ERROR.*", printed, re.M) or [fault]
        video = self.taken(kept["video"]) / (16 * 16 * FRAMES_PER_SECOND)
        return Played(video, self.taken(kept["audio"]) / (2 * 32_000), faults[0])

    @staticmethod
    def taken(path):
        """The size of a file that is then removed."""
        if not os.path.exists(path):
            return 0
        size = os.path.getsize(path)
        os.remove(path)
        return size


class Downloader(Program):
    """Keeps a file; what is in it is what counts."""

    def kept(self, arguments):
        for name in os.listdir(self.folder):
            if name.startswith("kept"):
                os.remove(os.path.join(self.folder, name))
        status, printed = run(arguments, FAST_SECONDS, cwd=self.folder, env={**os.environ, "HOME": self.folder})
        files = [name for name in os.listdir(self.folder) if name.startswith("kept")]
        fault = fault_of(status, printed, FAST_SECONDS)
        if fault or len(files) != 1:
            return Played(0.0, 0.0, fault or f"left {files}")
        return decoded(os.path.join(self.folder, files[0]))


class Streamlink(Downloader):
    label = "streamlink"

    def versioned(self):
        return "streamlink " + self.version_of(
            [self.python_program("streamlink", "streamlink"), "--version"], r"streamlink (\S+)")

    def play(self, url):
        return self.taken(url)

    def follow(self, url, seconds):
        return self.taken(url, "--stream-segmented-duration", str(seconds))

    def taken(self, url, *options):
        return self.kept([self.python_program("streamlink", "streamlink"), *options, "-o", "kept.ts", url, "best"])


class YtDlp(Downloader):
    label = "yt-dlp"

    def versioned(self):
        return "yt-dlp " + self.version_of([self.python_program("yt-dlp", "yt-dlp"), "--version"], r"(\S+)")

    def play(self, url):
        return self.kept([self.python_program("yt-dlp", "yt-dlp"), "--ignore-config", "--no-cache-dir", "--no-progress",
                          "-o", "kept.%(ext)s", url])
