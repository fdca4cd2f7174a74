"""The players without a page: each opens a URL as a user would and tells how much came out of it."""
import json
import os
import re

from . import times
from .running import FRAMES_PER_SECOND, Missing, Played, fault_of, found, run
from .strip import SQUARES

#: A player that decodes as fast as it can; a busy machine is not a fault.
FAST_SECONDS = 90
#: The Python that sees Debian's packages, among them GStreamer's bindings.
DEBIAN_PYTHON = "/usr/bin/python3"


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


#: The strip with the frame's number, a pixel for each square.
STRIP = f"crop=iw:iw/{SQUARES}:0:ih-iw/{SQUARES},scale={SQUARES}:1:flags=area,format=gray"


def numbers_in(path):
    """The number of each frame in a file of strips, which is then removed."""
    if not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        strips = file.read()
    os.remove(path)
    return [times.number(strips[start:start + SQUARES]) for start in range(0, len(strips), SQUARES)]


def decoded_numbers(path, folder, options=()):
    """The number of each frame that the system's ffmpeg decodes of a URL or a file, and what went wrong."""
    kept = os.path.join(folder, "strips.raw")
    status, printed = run(
        [found("ffmpeg"), "-nostdin", "-v", "error", "-y", *options, "-i", path, "-an", "-vf", STRIP, "-fps_mode",
         "passthrough", "-f", "rawvideo", kept], FAST_SECONDS)
    return numbers_in(kept), fault_of(status, printed, FAST_SECONDS)


class Program:
    """A player. One that `skips` passes over what any rendition lacks, as Media Source Extensions do."""

    skips = False
    #: Seconds of picture that may be missing at a joint: players skip to the next key frame.
    joint = 0.5
    #: Seconds of picture that it leaves out in one piece, where its frames have no time of their own.
    leap = 0.0
    #: How far from where it is sent it may begin to play.
    near = 1.5

    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder
        self.name = self.versioned()

    def numbers(self, url, begin=None):
        """The number of each frame that is shown, of all or from a second on, and what went wrong."""
        raise NotImplementedError

    def shown(self, url):
        """Each frame that is shown: its second in the media and the number in it."""
        numbers, fault = self.numbers(url)
        return [(index / FRAMES_PER_SECOND, number) for index, number in enumerate(numbers)], fault

    def seek(self, url, begin, length):
        """The same from a second on. A program that leaves nothing out until the end began as many frames before it."""
        numbers, fault = self.numbers(url, begin)
        began = length - len(numbers) / FRAMES_PER_SECOND
        return [(began + index / FRAMES_PER_SECOND, number) for index, number in enumerate(numbers)], fault

    def version_of(self, arguments, pattern):
        _, printed = run(arguments, 60)
        match = re.search(pattern, printed)
        return match.group(1) if match else "of no version"

    def python_program(self, name, package):
        if package in self.tools.missing:
            raise Missing(f"{package}: {self.tools.missing[package]}")
        return self.tools.program(name)


def told_numbers(arguments, begin):
    """The number of each frame whose squares a script prints, of all or from a second on, and what went wrong."""
    status, printed = run([*arguments, *([] if begin is None else [str(begin)])], FAST_SECONDS)
    fault = fault_of(status, printed, FAST_SECONDS)
    return [] if fault else [times.number(squares) for squares in json.loads(printed.strip().splitlines()[-1])], fault


class FFmpeg(Program):
    label = "ffmpeg"

    def versioned(self):
        return "ffmpeg " + self.version_of([found("ffmpeg"), "-version"], r"version (\S+?)-")

    def play(self, url):
        return decoded(url)

    def follow(self, url, seconds):
        return decoded(url, seconds * 3, ["-t", str(seconds)])

    def numbers(self, url, begin=None):
        return decoded_numbers(url, self.folder, [] if begin is None else ["-ss", str(begin)])


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

    def numbers(self, url, begin=None):
        return told_numbers([self.python_program("python", "av"), self.script, "--squares", url], begin)


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

    def numbers(self, url, begin=None):
        kept = os.path.join(self.folder, "mpv-strips.raw")
        status, printed = run(
            [found("mpv"), "--no-config", "--msg-level=all=error,statusline=no", "--no-audio", "--hwdec=no",
             f"--o={kept}", "--of=rawvideo", "--ovc=rawvideo", f"--vf=lavfi=[{STRIP}]",
             *([] if begin is None else [f"--start={begin}"]), url], FAST_SECONDS)
        return numbers_in(kept), fault_of(status, printed, FAST_SECONDS)


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

    def numbers(self, url, begin=None):
        """In a script, as only a program of GStreamer's own can seek in it."""
        python = DEBIAN_PYTHON if os.path.exists(DEBIAN_PYTHON) else found("python3")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gstreamer_squares.py")
        return told_numbers([python, script, url], begin)

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
        """The file that was kept, and what went wrong."""
        for name in os.listdir(self.folder):
            if name.startswith("kept"):
                os.remove(os.path.join(self.folder, name))
        status, printed = run(arguments, FAST_SECONDS, cwd=self.folder, env={**os.environ, "HOME": self.folder})
        files = [name for name in os.listdir(self.folder) if name.startswith("kept")]
        fault = fault_of(status, printed, FAST_SECONDS)
        return os.path.join(self.folder, *files[:1]), fault or ("" if len(files) == 1 else f"left {files}")

    def played(self, arguments):
        path, fault = self.kept(arguments)
        return Played(0.0, 0.0, fault) if fault else decoded(path)

    def numbers(self, url, begin=None):
        path, fault = self.kept(self.command(url, *([] if begin is None else self.behind(begin))))
        return ([], fault) if fault else decoded_numbers(path, self.folder)


class Streamlink(Downloader):
    label = "streamlink"
    #: It begins with the first segment behind the place.
    near = times.SEGMENT_SECONDS

    def versioned(self):
        return "streamlink " + self.version_of(
            [self.python_program("streamlink", "streamlink"), "--version"], r"streamlink (\S+)")

    def play(self, url):
        return self.played(self.command(url))

    def follow(self, url, seconds):
        return self.played(self.command(url, "--stream-segmented-duration", str(seconds)))

    def command(self, url, *options):
        return [self.python_program("streamlink", "streamlink"), *options, "-o", "kept.ts", url, "best"]

    @staticmethod
    def behind(begin):
        return ["--hls-start-offset", str(begin)]


class YtDlp(Downloader):
    label = "yt-dlp"

    def versioned(self):
        return "yt-dlp " + self.version_of([self.python_program("yt-dlp", "yt-dlp"), "--version"], r"(\S+)")

    def play(self, url):
        return self.played(self.command(url))

    def command(self, url, *options):
        return [self.python_program("yt-dlp", "yt-dlp"), "--ignore-config", "--no-cache-dir", "--no-progress", *options,
                "-o", "kept.%(ext)s", url]

    @staticmethod
    def behind(begin):
        return ["--download-sections", f"*{begin}-inf"]

    def seek(self, url, begin, _length):
        """By the numbers alone: at a hole its sections end too early."""
        numbers, fault = self.numbers(url, begin)
        return [(None, number) for number in numbers], fault
