"""Runs a player for a bounded time and ends what it started, by its process group."""
import os
import shutil
import signal
import subprocess

#: The frame rate of the origin's pictures.
FRAMES_PER_SECOND = 25
#: Seconds of one AAC frame at the origin's 32 kHz.
AUDIO_FRAME_SECONDS = 1024 / 32_000


class Played:
    """Seconds of picture and of sound that came out (None: the player does not tell), and what went wrong."""

    def __init__(self, video, audio=None, fault=""):
        self.video, self.audio, self.fault = video, audio, fault


class Missing(Exception):
    """A player that is not installed."""


def found(program):
    path = shutil.which(program)
    if path is None:
        raise Missing(f"{program} is not installed")
    return path


def start(arguments, **options):
    return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, start_new_session=True, **options)


def end(child):
    """Ends a child with everything that it started."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, how)
        except ProcessLookupError:
            break
        try:
            child.wait(3)
        except subprocess.TimeoutExpired:
            continue
    child.wait()


def run(arguments, seconds, **options):
    """The exit status and what was printed; status None when the time was up."""
    child = start(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    try:
        printed, _ = child.communicate(timeout=seconds)
        return child.returncode, printed
    except subprocess.TimeoutExpired:
        end(child)
        printed, _ = child.communicate()
        return None, printed
    finally:
        if child.poll() is None:
            end(child)


def fault_of(status, printed, seconds):
    """Words for a run that did not end well."""
    if status == 0:
        return ""
    last = [line for line in printed.splitlines() if line.strip()][-1:] or [""]
    return (f"not at the end after {seconds} s" if status is None else f"status {status}") + f" {last[0][:160]}"
