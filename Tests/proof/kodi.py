"""Kodi without a screen: imports the list of each flavour, plays live, catches up on an hour ago, seeks.

Kodi's own clock says little without a screen, so what it has asked for is what counts: the access log tells which segments.
"""
import datetime
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import time
import urllib.request

from players import times
from players.running import end, found, start
from playlist import media
from stack import Stack, free_port, wait_for

FLAVOURS = ["default", "append", "shift", "flussonic", "xc"]
ADDONS = ["pvr.iptvsimple", "inputstream.ffmpegdirect"]
CHANNEL, TITLE, GROUP = "news", "News of the day", "Information"
SEGMENT_SECONDS = 4
#: What the origin lists when the recording begins: more than an hour.
LISTED_SECONDS = 4_800
#: Where the programme of an hour ago begins and how long it is; Kodi cuts some flavours to whole minutes.
AGO_SECONDS, PROGRAMME_SECONDS = 3_600, 1_200
MINUTE_SECONDS = 60
#: What Kodi adds to a programme unless told otherwise.
BEFORE_SECONDS, AFTER_SECONDS = 300, 900
WATCH_SECONDS = 12
#: Segments that a player takes for a start.
ENOUGH = 3


def run(table, folder, _seed):
    for program in ("kodi", "Xvfb"):
        found(program)
    stack = Stack(os.path.join(folder, "stack"))
    guide = None
    try:
        record(stack)
        programme = int(time.time() - AGO_SECONDS) // 60 * 60
        guide = Guide(programme)
        for flavour in FLAVOURS:
            kodi = Kodi(os.path.join(folder, flavour), f"{stack.base}/iptv/channels.m3u?flavour={flavour}", guide.url)
            try:
                kodi.start()
                show(table, stack, kodi, flavour, programme)
            except Exception as error:  # a flavour that cannot be shown is a miss, and the others still play
                table.row(f"Kodi, {flavour}", "plays", f"{type(error).__name__}: {error}", False)
            finally:
                kodi.stop()
    finally:
        if guide:
            guide.close()
        stack.stop()


def record(stack):
    """A channel whose archive holds more than an hour from its first minute on."""
    stack.start_database()
    origin = stack.start_origin(
        "replay", "--segment-seconds", str(SEGMENT_SECONDS), "--minute-seconds", str(times.MINUTE_SECONDS),
        "--bits-per-second", "300000", "--list-seconds", str(LISTED_SECONDS), "--prefill",
        str(LISTED_SECONDS // SEGMENT_SECONDS), name="kodi")
    stack.start_service(BACKCAST_ACCESS_LOG="true", BACKCAST_LOG_FORMAT="json")
    stack.add_channel(CHANNEL, f"{origin}/ch1/index.m3u8", title=TITLE, group=GROUP)
    held = f"{stack.base}/live/{CHANNEL}/v0.m3u8?begintime={int(time.time() - LISTED_SECONDS) * 1000}&duration=14400"
    wait_for("an hour of archive", 300, lambda: (media(held) or media(held)) and media(held).duration > AGO_SECONDS + 900)


def show(table, stack, kodi, flavour, programme):
    listed = kodi.channels()
    words = ", ".join(f"{channel['label']} in {channel['group']}" for channel in listed)
    table.row(f"Kodi, {flavour}: the list", "one channel with its group", words,
              [(channel["label"], channel["group"]) for channel in listed] == [(TITLE, GROUP)])
    watch(table, stack, kodi, f"Kodi, {flavour}: live", {"channelid": listed[0]["channelid"]},
          lambda: time.time() - 20, 20)
    past = kodi.broadcast(listed[0]["channelid"], programme)
    if watch(table, stack, kodi, f"Kodi, {flavour}: an hour ago", {"broadcastid": past}, lambda: programme, MINUTE_SECONDS):
        seek(table, stack, kodi, f"Kodi, {flavour}: seek", programme)
    kodi.close_player()


def watch(table, stack, kodi, title, item, wanted, tolerance):
    """Opens an item and looks at what is taken in the seconds after it; whether it is what was wanted."""
    kodi.close_player()
    taken = Taken(stack)
    kodi.call("Player.Open", {"item": item})
    seen, holds = taken.judge(wanted(), tolerance)
    table.row(title, f"{ENOUGH} segments from the wanted time on", seen, holds)
    return holds


def seek(table, stack, kodi, title, programme):
    """To the middle of what Kodi lets one seek in: the programme with some minutes before and after it."""
    taken = Taken(stack)
    kodi.call("Player.Seek", {"playerid": 1, "value": {"percentage": 50.0}})
    seen, holds = taken.judge(programme + (PROGRAMME_SECONDS + AFTER_SECONDS - BEFORE_SECONDS) / 2, MINUTE_SECONDS)
    table.row(title, f"{ENOUGH} segments from the wanted time on", seen, holds)


class Taken:
    """What is asked for from now on."""

    def __init__(self, stack):
        self.stack = stack
        self.log = stack.path("backcast.log")
        self.place = os.path.getsize(self.log)

    def segments(self):
        """The begins of the segments in the order in which they were asked for first, in epoch seconds."""
        with open(self.log, errors="replace") as file:
            file.seek(self.place)
            paths = [json.loads(line)["metadata"]["path"] for line in file if "backcast.access" in line]
        begins = [int(name.group(1)) / 1000 for name in (re.search(r"/v0/(\d+)\.ts$", path) for path in paths) if name]
        return list(dict.fromkeys(begins))

    def judge(self, wanted, tolerance):
        """Waits until there are enough; whether the first holds the wanted instant, within a tolerance."""
        until = time.time() + WATCH_SECONDS
        while time.time() < until and len(self.segments()) < ENOUGH:
            time.sleep(0.2)
        begins = self.segments()
        if not begins:
            return "nothing", False
        off = begins[0] - wanted
        steps = {round(after - before, 3) for before, after in zip(begins, begins[1:])}
        return (f"{len(begins)} segments, the first begins {off:+.1f} s from it",
                len(begins) >= ENOUGH and -SEGMENT_SECONDS - tolerance <= off <= tolerance and steps == {SEGMENT_SECONDS})


class Guide:
    """An XMLTV guide of a programme in the past and of the one that is on."""

    def __init__(self, programme):
        document = self.document(programme).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/xml")
                self.send_header("Content-Length", str(len(document)))
                self.end_headers()
                self.wfile.write(document)

            def log_message(self, *_):
                """Says nothing."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/guide.xml"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    @staticmethod
    def document(programme):
        def words(instant):
            return datetime.datetime.fromtimestamp(instant, datetime.timezone.utc).strftime("%Y%m%d%H%M%S +0000")

        programmes = "".join(
            f'<programme start="{words(begin)}" stop="{words(begin + PROGRAMME_SECONDS)}" channel="{CHANNEL}">'
            f"<title>Programme {number}</title></programme>"
            for number, begin in enumerate(range(programme, programme + 5 * PROGRAMME_SECONDS, PROGRAMME_SECONDS)))
        return (f'<?xml version="1.0" encoding="UTF-8"?><tv><channel id="{CHANNEL}"><display-name>{TITLE}'
                f"</display-name></channel>{programmes}</tv>")


class Kodi:
    """One Kodi with a home of its own, on a display of its own, driven by JSON-RPC on loopback."""

    def __init__(self, home, list_url, guide_url):
        self.home, self.port = home, free_port()
        self.children = []
        shutil.rmtree(home, ignore_errors=True)
        self.write("guisettings.xml", 2, {
            "services.webserver": "true", "services.webserverport": self.port, "services.webserverauthentication": "false",
            "pvrmanager.enabled": "true", "epg.pastdaystodisplay": "2", "pvrplayback.confirmwakeup": "false"})
        self.write("addon_data/pvr.iptvsimple/settings.xml", 2, {
            "m3uPathType": 1, "m3uUrl": list_url, "m3uCache": "false", "epgPathType": 1, "epgUrl": guide_url,
            "epgCache": "false", "catchupEnabled": "true"})

    def write(self, name, version, settings):
        path = os.path.join(self.home, ".kodi", "userdata", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        rows = "".join(f'<setting id="{key}">{str(value).replace("&", "&amp;")}</setting>\n' for key, value in settings.items())
        with open(path, "w") as file:
            file.write(f'<settings version="{version}">\n{rows}</settings>\n')

    def start(self):
        log = open(os.path.join(self.home, "out.log"), "ab")
        read, write = os.pipe()
        self.children.append(start(
            [found("Xvfb"), "-displayfd", str(write), "-screen", "0", "640x360x24", "-nolisten", "tcp"], stdout=log, stderr=log,
            pass_fds=[write]))
        os.close(write)
        with os.fdopen(read) as file:
            display = file.readline().strip()
        environment = {**os.environ, "HOME": self.home, "DISPLAY": f":{display}", "LIBGL_ALWAYS_SOFTWARE": "1",
                       "TZ": "UTC"}
        self.children.append(start([found("kodi"), "--standalone"], stdout=log, stderr=log, env=environment))
        wait_for("Kodi", 60, self.answers)
        for addon in ADDONS:
            self.call("Addons.SetAddonEnabled", {"addonid": addon, "enabled": True})

    def stop(self):
        for child in reversed(self.children):
            end(child)

    def answers(self):
        try:
            return self.call("JSONRPC.Ping") == "pong"
        except OSError:
            return False

    def call(self, method, parameters=None):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters or {}}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/jsonrpc", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            said = json.load(answer)
        if "error" in said:
            raise RuntimeError(f"{method}: {said['error']}")
        return said["result"]

    def channels(self):
        """The channels of television with their groups."""
        def groups():
            try:
                return self.call("PVR.GetChannelGroups", {"channeltype": "tv"}).get("channelgroups", [])
            except RuntimeError:
                return []

        wait_for("the channel groups", 60, lambda: len(groups()) > 1)
        listed = []
        for group in groups():
            for channel in self.call(
                    "PVR.GetChannels", {"channelgroupid": group["channelgroupid"], "properties": ["icon"]})["channels"]:
                listed.append({**channel, "group": group["label"]})
        return [channel for channel in listed if channel["group"] == GROUP]

    def broadcast(self, channel, begin):
        """The programme that begins at an instant, once the guide is there."""
        def look():
            listed = self.call("PVR.GetBroadcasts", {"channelid": channel, "properties": ["starttime"]}).get("broadcasts", [])
            for broadcast in listed:
                began = datetime.datetime.fromisoformat(broadcast["starttime"] + "+00:00").timestamp()
                if began == begin and broadcast.get("broadcastid"):
                    return broadcast["broadcastid"]
            return None

        return wait_for("the programme in the guide", 180, look)

    def close_player(self):
        for player in self.call("Player.GetActivePlayers"):
            self.call("Player.Stop", {"playerid": player["playerid"]})
        time.sleep(1)
