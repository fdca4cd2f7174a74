"""Windows in the players that people use: each plays to the end, with as much picture and sound as the lists
promise, shows the frames of their time, and seeks. Pages show a thumbnail track."""
import os

from . import browsers, files, limits, programs, special, times, vlc
from .relay import Relay
from .running import Missing
from .scenes import Scenes
from .tools import Tools

PLAYERS = [programs.FFmpeg, programs.PyAV, programs.MPV, vlc.VLC, programs.GStreamer, programs.Streamlink,
           programs.YtDlp, browsers.Chromium, browsers.HlsJsInChromium, browsers.HlsJsInFirefox]
#: Seconds of picture or sound that may be missing at the ends (players in real time are asked before they end).
ENDS = 1.5
FOLLOW_SECONDS = 30
#: Where players go in a window, a share of its length.
SEEK = 0.75


def run(table, folder, seed):
    scenes = Scenes(os.path.join(folder, "stack"))
    relay = None
    try:
        tools = Tools(folder)
        players = [player for player in (ready(table, kind, tools, folder) for kind in PLAYERS) if player]
        scenes.start()
        relay = Relay(scenes.stack.base, "" if "gradio" in tools.missing else tools.hls_js())
        browsers.Browser.relay = relay
        scenes.record()
        for window in scenes.windows(relay):
            show_lists(table, window)
            for player in players:
                show_window(table, player, window)
        show_seeking(table, players, scenes)
        show_times(table, players, scenes)
        show_thumbnails(table, players, scenes)
        files.show(table, scenes)
        special.show_key_frames(table, players, scenes)
        show_following(table, players, scenes)
        special.show_tokens(table, players, scenes)
    finally:
        if relay:
            relay.close()
        scenes.stop()


def ready(table, kind, tools, folder):
    """The player, or a miss that says why there is none."""
    try:
        return kind(tools, folder)
    except Missing as missing:
        table.row(f"{kind.label} in all windows", "installed", str(missing), False)
        return None


def show_lists(table, window):
    """The lists themselves: equal counts, and two tags in a row where the title says so."""
    counts = {listed.discontinuities for listed in window.lists.values()}
    goal = "equal discontinuity counts"
    holds = len(counts) == 1
    if "row" in window.title or "doubled" in window.title:
        goal += ", two in a row"
        holds = holds and window.in_a_row >= 2
    elif "hole" in window.title:
        goal += ", at least one"
        holds = holds and window.joints >= 1
    table.row(f"{window.title}: lists", goal, window.described, holds)


def show_window(table, player, window):
    try:
        played = player.play(window.url)
    except Missing as missing:
        table.row(f"{window.title}: {player.name}", "plays to the end", str(missing), False)
        return
    except Exception as error:  # a player that cannot be run is a miss, and the others still play
        table.row(f"{window.title}: {player.name}", "plays to the end", f"{type(error).__name__}: {error}", False)
        return
    expected = window.common if player.skips else window.video
    seen = f"{played.video:.1f} of {expected:.1f} s"
    if played.audio is not None:
        seen += f", sound {played.audio:.1f} of {window.audio:.1f} s"
    allowed = ENDS + player.joint * window.joints
    holds = not played.fault and abs(expected - played.video) <= allowed and (
        played.audio is None or abs(window.audio - played.audio) <= allowed)
    table.row(f"{window.title}: {player.name}", "plays to the end", f"{seen} {played.fault}".strip(), holds,
              limits.known(player, window))


def show_seeking(table, players, scenes):
    """Players go to three quarters of a window with a hole, and show the frames from there to its end."""
    window = scenes.window("a seek over a hole", "clear", scenes.holed - 8, scenes.holed + 14)
    clock = times.Clock(window.lists["v0"], scenes.began("clear"))
    begin = window.video * SEEK
    for player in players:
        limit = ""
        try:
            shown, fault = player.seek(window.url, begin, window.video)
            seen, holds = clock.judge(shown, begin, player.near, player.leap)
            limit = "" if fault or "wrong" in seen else limits.SEEKING.get(player.label, "")
            seen, holds = f"{seen} {fault}".strip(), holds and not fault
        except Exception as error:
            seen, holds = f"{type(error).__name__}: {error}", False
        goal = f"at {begin:.1f} s, then to the end, each frame at its time"
        table.row(f"{window.title}: {player.name}", goal, seen, holds, limit)


def show_times(table, players, scenes):
    """The pictures of a window with a hole are those of their time, from begin to end."""
    window = scenes.window("the time in the picture", "clear", scenes.holed - 8, scenes.holed + 14)
    clock = times.Clock(window.lists["v0"], scenes.began("clear"))
    for player in players:
        try:
            shown, fault = player.shown(window.url)
            seen, holds = clock.judge(shown, near=ENDS if player.leap else 1.0, leap=player.leap)
            seen, holds = f"{seen} {fault}".strip(), holds and not fault
        except Exception as error:
            seen, holds = f"{type(error).__name__}: {error}", False
        goal = f"each frame the next, or one up to {player.leap} s later" if player.leap else "each frame at its time"
        table.row(f"{window.title}: {player.name}", goal, seen, holds)


def show_thumbnails(table, players, scenes):
    """A page shows the picture of each cue of a window with a hole."""
    window = scenes.window("thumbnails", "clear", scenes.holed - 8, scenes.holed + 14)
    track = window.url.replace("/index.m3u8?", "/frames.vtt?") + "&step=2&width=80"
    for player in players:
        if not hasattr(player, "thumbnails"):
            continue
        try:
            said = player.thumbnails(window.url, track)
            seen = said.get("thumbnails", {})
            cues = int(window.video / 2)
            words = f"{seen.get('shown', 0)} of {seen.get('cues', 0)} shown, {seen.get('width', 0)} pixels wide"
            words += f" {said.get('error', '')}"
            holds = seen.get("cues", 0) >= cues and seen.get("shown") == seen.get("cues") and seen.get("width") == 80
        except Exception as error:
            words, holds = f"{type(error).__name__}: {error}", False
        table.row(f"{window.title}: {player.name}", "a picture for each cue", words.strip(), holds)


def show_following(table, players, scenes):
    """Lists that grow: they start, and go on without an error."""
    live = f"{scenes.stack.base}/live/parted/index.m3u8"
    begin = int(scenes.settled * 1000) - 8000
    lists = {"mode=event": f"{live}?begintime={begin}&mode=event", "sliding, dvr=60": f"{live}?dvr=60"}
    for title, url in lists.items():
        for player in players:
            if not hasattr(player, "follow"):
                continue
            try:
                played = player.follow(url, FOLLOW_SECONDS)
                seen, holds = f"{played.video:.1f} s {played.fault}".strip(), not played.fault
            except Exception as error:
                seen, holds = f"{type(error).__name__}: {error}", False
            table.row(f"{title}: {player.name}", f"starts and plays {FOLLOW_SECONDS} s", seen, holds)
