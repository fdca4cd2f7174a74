"""What some of the players show for all: lists of key frames, and windows that need a token."""
import datetime

import playlist
from stack import request

from . import browsers, programs, times

SECRET = "playback-secret-of-the-proofs"
#: ffmpeg 5 and 8: pages wind by key frames with code of their own.
OPEN_KEY_FRAMES = (programs.FFmpeg, programs.PyAV)
WITH_TOKENS = (programs.FFmpeg, programs.MPV, browsers.HlsJsInChromium)
#: Seconds that may be missing at the end.
ENDS = 1.5


def show_key_frames(table, players, scenes):
    """The I-frame playlist of a window with a hole: each key frame in it is decoded, and is the one of its time."""
    window = scenes.window("an I-frame playlist", "clear", scenes.holed - 8, scenes.holed + 14)
    url = window.url.replace("/index.m3u8?", "/v0-iframes.m3u8?")
    for player in players:
        if not isinstance(player, OPEN_KEY_FRAMES):
            continue
        try:
            clock = times.Clock(playlist.media(url), scenes.began("clear"))
            numbers, fault = player.numbers(url)
            seen, holds = key_frames(clock, numbers)
            seen, holds = f"{seen} {fault}".strip(), holds and not fault
        except Exception as error:
            seen, holds = f"{type(error).__name__}: {error}", False
        table.row(f"{window.title}: {player.name}", "each listed picture, at its time", seen, holds)


def key_frames(clock, numbers):
    """The words for the pictures that were decoded, and whether they are those that are listed."""
    listed = [begin for begin, _ in clock.spans]
    right = [number is not None and clock.off_at(begin, number) <= times.ALLOWED_FRAMES
             for begin, number in zip(listed, numbers)]
    holds = all(right) and len(numbers) == len(listed) > 1
    return f"{len(numbers)} of {len(listed)} decoded, {sum(right)} right", holds


def show_tokens(table, players, scenes):
    """Last, for the service starts again with a secret: a window plays below a token, and not without it."""
    window = scenes.window("a window that needs a token", "clear", scenes.holed - 8, scenes.holed + 14)
    stack = scenes.stack
    stack.service.end()
    stack.start_service(BACKCAST_PLAYBACK_SECRET=SECRET)
    end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
    answer = stack.admin("/tokens", "POST", {"channel": "clear", "expires_at": f"{end:%Y-%m-%dT%H:%M:%SZ}"})
    prefix = answer.json()["path_prefix"]
    for player in players:
        if isinstance(player, WITH_TOKENS):
            show_token(table, player, window, window.url.replace(stack.base, stack.base + prefix))


def show_token(table, player, window, url):
    try:
        played, refused, status = player.play(url), player.play(window.url), request(window.url).status
        seen = f"{played.video:.1f} s {played.fault}".strip() + f"; without: {status}, {refused.video:.1f} s"
        holds = not played.fault and abs(played.video - window.video) <= ENDS + player.joint
        holds = holds and status == 403 and refused.video == 0 and refused.fault != ""
    except Exception as error:
        seen, holds = f"{type(error).__name__}: {error}", False
    table.row(f"{window.title}: {player.name}", f"{window.video:.1f} s; without the token 403 and nothing", seen, holds)
