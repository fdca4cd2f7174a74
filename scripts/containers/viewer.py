"""A viewer: fetches playlists, and lets ffmpeg decode what they list."""

import subprocess
import urllib.error
import urllib.request


def get(url, token=None):
    """Status and text; 0 when nobody answers."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")
    except OSError as error:
        return 0, str(error)


def listed_seconds(url):
    """The length of a window's playlist; 0 as long as there is none."""
    status, text = get(url)
    if status != 200:
        return 0
    return sum(float(line[8:].split(",")[0]) for line in text.splitlines() if line.startswith("#EXTINF:"))


def decoded_frames(url):
    """Pictures that ffmpeg decodes; any message of its is an error."""
    words = ["ffmpeg", "-nostdin", "-v", "warning", "-xerror", "-i", url, "-map", "0:v:0", "-map", "0:a:0",
             "-progress", "-", "-f", "null", "-"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0 or done.stderr:
        raise ValueError(f"ffmpeg: {done.returncode} {done.stderr.strip()}")
    counts = [line.partition("=")[2] for line in done.stdout.splitlines() if line.startswith("frame=")]
    return int(counts[-1])
