"""The names under which players of other servers ask for the past: a table of each name and each player."""
import datetime
import os
import time

import ledger
import players
from players import browsers, programs, times, vlc
from players.relay import Relay
from players.scenes import query
from players.tools import Tools
from playlist import media
from stack import Stack, request, wait_for

CHANNEL = "news"
#: Players that open a file of media, too; browsers and streamlink want a playlist.
OPENS_FILES = (programs.FFmpeg, programs.PyAV, programs.MPV, vlc.VLC, programs.GStreamer, programs.YtDlp)
WINDOW_SECONDS = 16
#: So that it holds a whole minute of the clock, for which Xtream asks.
RECORD_SECONDS = 125
FOLLOW_SECONDS = 10
#: Whole seconds begin within a segment: some players skip to that second, others play the segment.
ENDS = players.ENDS + times.SEGMENT_SECONDS


class Name:
    """One name: its path, and the media playlist of the same window; None where it goes on. `pictures` is the playlist
    by which its pictures are judged."""

    def __init__(self, title, path, window=None, is_file=False, pictures=None):
        self.title, self.path, self.window, self.is_file = title, path, window, is_file
        self.pictures = pictures or window


def run(table, folder, _seed):
    stack = Stack(os.path.join(folder, "stack"))
    relay = None
    try:
        tools = Tools(folder)
        kinds = [player for player in (players.ready(table, kind, tools, folder) for kind in players.PLAYERS) if player]
        begin = record(stack)
        relay = Relay(stack.base, "" if "gradio" in tools.missing else tools.hls_js())
        browsers.Browser.relay = relay
        began = min(entry.start for entry in ledger.read(stack.ledger))
        cells = {}
        for name in [*finite(stack, begin), *endless(stack, begin)]:
            if name.pictures:
                show_pictures(table, stack, name, began, kinds[0])
            for player in kinds:
                cells[name.title, player.name] = show(table, stack, name, player)
        draw(cells)
    finally:
        if relay:
            relay.close()
        stack.stop()


def record(stack):
    """A channel of two minutes; gives a whole second within it."""
    stack.start_database()
    origin = stack.start_origin(
        "replay", "--segment-seconds", str(times.SEGMENT_SECONDS), "--minute-seconds", str(times.MINUTE_SECONDS),
        "--bits-per-second", "600000", name="news")
    stack.start_service()
    stack.add_channel(CHANNEL, f"{origin}/ch1/index.m3u8")
    wait_for("the first segment", 90, lambda: stack.status(CHANNEL).get("live_edge"))
    begin = int(time.time()) + 8
    stack.wait_until_settled(CHANNEL, begin + RECORD_SECONDS, RECORD_SECONDS + 60)
    return begin


def finite(stack, begin):
    """Names of windows that end. Xtream asks for whole minutes."""
    live, length = f"/live/{CHANNEL}", WINDOW_SECONDS
    minute = begin // 60 * 60 + 60
    start = f"{datetime.datetime.fromtimestamp(minute, datetime.timezone.utc):%Y-%m-%d:%H-%M}"
    past = f"/timeshift/viewer/open/1/{start}/{number(stack)}"
    asked = f"username=viewer&password=open&stream={number(stack)}&start={start}&duration=1"
    window, whole = listed(stack, begin, length), listed(stack, minute, 60)
    return [
        Name("begintime, endtime", f"{live}/index.m3u8?{query(begin, begin + length)}", window),
        Name("playseek", f"{live}/index.m3u8?playseek={begin}-{begin + length}", window),
        Name("archive-….m3u8", f"{live}/archive-{begin}-{length}.m3u8", window),
        Name("archive-….m3u8?event=true", f"{live}/archive-{begin}-{length}.m3u8?event=true", window),
        Name("index-….m3u8", f"{live}/index-{begin}-{length}.m3u8", window),
        Name("video-….m3u8", f"{live}/video-{begin}-{length}.m3u8", window),
        Name("mono-….m3u8", f"{live}/mono-{begin}-{length}.m3u8", window),
        Name("playlist_dvr_range-….m3u8", f"{live}/playlist_dvr_range-{begin}-{length}.m3u8", window),
        Name("Xtream /timeshift/….m3u8", f"{past}.m3u8", whole),
        Name("archive-….ts", f"{live}/archive-{begin}-{length}.ts", window, True),
        Name("index-….ts", f"{live}/index-{begin}-{length}.ts", window, True),
        Name("video-….ts", f"{live}/video-{begin}-{length}.ts", window, True),
        Name("mono-….ts", f"{live}/mono-{begin}-{length}.ts", window, True),
        Name("Xtream /timeshift/….ts", f"{past}.ts", whole, True),
        Name("Xtream /timeshift.php", f"/timeshift.php?{asked}", whole, True),
        Name("download.mp4", f"{live}/download.mp4?{query(begin, begin + length)}", window, True),
    ]


def endless(stack, begin):
    """Names of what goes on. What `utc` asks for ends now, which is later with each player."""
    live, past = f"/live/{CHANNEL}", 40
    until_now = f"utc={begin}&lutc={int(time.time())}"
    listed_now = media(f"{stack.base}{live}/v0.m3u8?{until_now}")
    return [
        Name("utc, lutc", f"{live}/index.m3u8?{until_now}", pictures=listed_now),
        Name("timeshift_rel-….m3u8", f"{live}/timeshift_rel-{past}.m3u8"),
        Name("timeshift_abs-….m3u8", f"{live}/timeshift_abs-{begin}.m3u8"),
        Name("rewind-….m3u8", f"{live}/rewind-60.m3u8"),
        Name("archive-…-now.m3u8", f"{live}/archive-{begin}-now.m3u8"),
        Name("playlist_dvr_range-…-now.m3u8", f"{live}/playlist_dvr_range-{begin}-now.m3u8"),
        Name("playlist_dvr_timeshift-….m3u8", f"{live}/playlist_dvr_timeshift-{past}-40.m3u8"),
        Name("Xtream /live/….m3u8", f"/live/viewer/open/{number(stack)}.m3u8"),
        Name("timeshift_rel-….ts", f"{live}/timeshift_rel-{past}.ts", None, True),
        Name("timeshift_abs-….ts", f"{live}/timeshift_abs-{begin}.ts", None, True),
        Name("rewind-….ts", f"{live}/rewind-{past}.ts", None, True),
        Name("archive-…-now.ts", f"{live}/archive-{begin}-now.ts", None, True),
        Name("Xtream /live/….ts", f"/live/viewer/open/{number(stack)}.ts", None, True),
        Name("Xtream /live/…", f"/live/viewer/open/{number(stack)}", None, True),
        Name("Xtream without live", f"/viewer/open/{number(stack)}.ts", None, True),
    ]


def number(stack):
    """The channel's number in the Xtream Codes API."""
    answer = request(f"{stack.base}/player_api.php?username=viewer&password=open&action=get_live_streams")
    return answer.json()[0]["stream_id"]


def listed(stack, begin, length):
    return media(f"{stack.base}/live/{CHANNEL}/v0.m3u8?{query(begin, begin + length)}")


def show_pictures(table, stack, name, began, player):
    """The pictures under a name are those of its window, from begin to end."""
    try:
        shown, fault = player.shown(stack.base + name.path)
        seen, holds = times.Clock(name.pictures, began).judge(shown)
        seen, holds = f"{seen} {fault}".strip(), holds and not fault
    except Exception as error:
        seen, holds = f"{type(error).__name__}: {error}", False
    table.row(f"{name.title}: pictures in {player.name}", "each at its time", seen, holds)


def show(table, stack, name, player):
    """A word for the cell of a name and a player, and a row."""
    if name.is_file and not isinstance(player, OPENS_FILES) or name.window is None and not hasattr(player, "follow"):
        return ""
    try:
        if name.window is None:
            played = player.follow(stack.base + name.path, FOLLOW_SECONDS)
            goal, holds = f"{FOLLOW_SECONDS} s", played.video >= FOLLOW_SECONDS - 1
        else:
            played = player.play(stack.base + name.path)
            goal, holds = f"{name.window.duration:.1f} s", abs(played.video - name.window.duration) <= ENDS
        seen, holds = f"{played.video:.1f} s {played.fault}".strip(), holds and not played.fault
    except Exception as error:  # a player that cannot be run is a miss, and the others still play
        goal, seen, holds = "plays", f"{type(error).__name__}: {error}", False
    table.row(f"{name.title}: {player.name}", goal, seen, holds)
    return f"{played.video:.0f} s" if holds else "**no**"


def draw(cells):
    """The table of names and players, for the documents."""
    titles, names = (list(dict.fromkeys(key[place] for key in cells)) for place in (0, 1))
    print(f"\n| name | {' | '.join(names)} |\n|{'---|' * (len(names) + 1)}")
    for title in titles:
        print(f"| {title} | {' | '.join(cells[title, name] for name in names)} |")
