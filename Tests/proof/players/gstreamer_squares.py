"""Plays the picture of a URL with GStreamer's playbin, from a second on when one is given, and prints the squares of
each frame as JSON. For Debian's own Python, which has GStreamer's bindings.

usage: gstreamer_squares.py URL [SECOND]
"""
import json
import sys

import gi
gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

from strip import squares  # noqa: E402

WAIT = 30 * Gst.SECOND


def main(url, begin=None):
    Gst.init(None)
    player = Gst.ElementFactory.make("playbin")
    pictures = Gst.parse_bin_from_description(
        "videoconvert ! video/x-raw,format=GRAY8 ! appsink name=kept sync=false max-buffers=8", True)
    kept = pictures.get_by_name("kept")
    for name, value in (("uri", url), ("video-sink", pictures), ("audio-sink", silence())):
        player.set_property(name, value)
    player.set_state(Gst.State.PAUSED)
    player.get_state(WAIT)
    if begin is not None and not player.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, int(begin * Gst.SECOND)):
        sys.exit("the seek was refused")
    player.set_state(Gst.State.PLAYING)
    shown = list(frames(kept))
    told = player.get_bus().pop_filtered(Gst.MessageType.ERROR)
    ended = kept.get_property("eos")
    player.set_state(Gst.State.NULL)
    if told or not ended:
        sys.exit(str(told.parse_error()[0]) if told else "no end of stream")
    print(json.dumps(shown))


def silence():
    sink = Gst.ElementFactory.make("fakesink")
    sink.set_property("sync", False)
    return sink


def frames(kept):
    """The squares of each picture, until none comes any more."""
    while sample := kept.emit("try-pull-sample", WAIT):
        caps, buffer = sample.get_caps().get_structure(0), sample.get_buffer()
        width, height = caps.get_value("width"), caps.get_value("height")
        yield squares(buffer.extract_dup(0, buffer.get_size()), (width + 3) // 4 * 4, width, height)


main(sys.argv[1], *map(float, sys.argv[2:]))
