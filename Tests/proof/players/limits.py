"""What a player cannot do, however the lists are written: told in the table, and no miss of ours."""

#: Of windows whose sound is in a rendition of its own and that have a joint; each was seen with a single tag, too.
AT_JOINTS_OF_SEPARATE_SOUND = {
    "VLC": "VLC 3 ends at any EXT-X-DISCONTINUITY of fMP4 with separate audio",
    "yt-dlp": "its own downloader refuses EXT-X-MAP behind a discontinuity; --downloader ffmpeg takes it",
    "Chromium": "its own HLS lays each rendition end to end: sound is early behind a hole that only sound has",
}

#: Of a window that is entered behind its begin, when each frame that is shown is right.
SEEKING = {
    "yt-dlp": "it ends a section by the length of the list, and its ffmpeg counts the hole as played",
}


def known(player, window):
    """Why this player may fail here; empty when it has to play."""
    return AT_JOINTS_OF_SEPARATE_SOUND.get(player.label, "") if "a0" in window.lists and window.joints else ""
