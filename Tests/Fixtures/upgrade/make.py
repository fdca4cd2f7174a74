"""Makes an upgrade fixture: what a version of Backcast leaves behind when it is killed while PostgreSQL is stopped.

Usage: make.py VERSION BINARIES
  VERSION   the commit whose programs are run; the fixture goes to the folder of that name beside this file
  BINARIES  the folder with that commit's `backcast` and `live-origin`

Run it in a checkout of that commit: its migrations and `scripts/postgres.sh` are used. A fixture that is committed is
never made again: it stands for a version that users have installed.
"""
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
# Below the ports that a kernel chooses, so that no other test's server answers there.
PORTS = {"clear": 20907, "encrypted": 20908}
SERVICE = 20909
CHANNELS = {
    "plain": {"source_url": "clear/ch1", "retention_seconds": None},
    "full": {
        "title": "Every setting – alle", "retention_seconds": 315_360_000, "max_bytes": 1 << 40, "clock": "source",
        "renditions": ["v0"], "guide_id": "full.example", "encryption": "clear", "time_zone": "Europe/Berlin",
        "sources": [
            {"url": "clear/ch2", "headers": {"X-Token": "secret"}, "priority": -1, "max_connections": 4,
             "inherit_query": True, "ip_version": 4, "header_hosts": ["cdn.example"]},
            {"url": "clear/ch1", "priority": 5, "allow_invalid_certificate": True}]},
    "paused": {"source_url": "clear/ch3", "retention_seconds": None, "renditions": "highest"},
    "deleted": {"source_url": "clear/ch4", "retention_seconds": None, "renditions": "lowest"},
    "tracks": {"source_url": "encrypted/ch1", "retention_seconds": None},
}


def request(url, method="GET", body=None, token=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(
                urllib.request.Request(url, data=data, method=method, headers=headers), timeout=20) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def wait_for(what, condition, seconds=120):
    end = time.time() + seconds
    while time.time() < end:
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(0.2)
    raise RuntimeError(f"{what} did not come within {seconds} s")


class Maker:
    def __init__(self, version, binaries, folder):
        self.out = os.path.join(HERE, version)
        self.binaries = binaries
        self.folder = folder
        self.children = []
        self.token = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, log, command, **environment):
        with open(self.path(log), "ab") as output:
            child = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                env={**os.environ, **environment})
        self.children.append(child)
        return child

    def postgres(self, action):
        printed = subprocess.run(
            [os.path.join(ROOT, "scripts", "postgres.sh"), action, self.path("postgres")], check=True,
            stdout=subprocess.PIPE, text=True).stdout
        return printed.strip().splitlines()[-1] if printed.strip() else ""

    def start_origin(self, name, *options):
        self.start(
            f"{name}.log",
            [os.path.join(self.binaries, "live-origin"), "replay", "--port", str(PORTS[name]), "--folder",
             self.path("minutes"), "--ledger", self.path(f"{name}.jsonl"), "--segment-seconds", "1",
             "--minute-seconds", "16", "--bits-per-second", "50000", "--prefill", "3", *options])
        wait_for(f"origin {name}", lambda: "Ready:" in open(self.path(f"{name}.log")).read())

    def start_service(self, database):
        service = self.start(
            "service.log", [os.path.join(self.binaries, "backcast"), "run"],
            BACKCAST_LISTEN=f"127.0.0.1:{SERVICE}", BACKCAST_DATABASE_URL=database, BACKCAST_MIN_FREE="1Mi",
            BACKCAST_ARCHIVE=self.path("archive"), BACKCAST_STATE=self.path("state"),
            BACKCAST_MIGRATIONS=os.path.join(ROOT, "migrations"))
        wait_for("the service", lambda: request(f"http://127.0.0.1:{SERVICE}/readyz")[0] == 200)
        self.token = open(self.path("state/admin-token")).read().strip()
        return service

    def admin(self, path, method="GET", body=None, expected=(200,)):
        status, answer = request(f"http://127.0.0.1:{SERVICE}/api/v1{path}", method, body, self.token)
        if status not in expected:
            raise RuntimeError(f"{method} {path}: {status} {answer}")
        return json.loads(answer) if answer else None

    def run(self):
        database = self.postgres("start")
        self.start_origin("clear", "--channels", "4")
        self.start_origin(
            "encrypted", "--container", "ts", "--audio", "separate", "--encrypt", "aes-128", "--rotate", "5")
        service = self.start_service(database)
        for channel, settings in CHANNELS.items():
            self.admin("/channels", "POST", {"id": channel, **self.with_urls(settings)}, expected=(201,))
        time.sleep(7)
        # A hole, a second numbering, a paused and a deleted channel.
        request(f"http://127.0.0.1:{PORTS['clear']}/control?channel=ch1&fault=fail&count=1000&status=404", "POST")
        time.sleep(3)
        request(f"http://127.0.0.1:{PORTS['clear']}/control?channel=ch1&fault=clear", "POST")
        self.admin("/channels/paused", "PATCH", {"recording": False})
        self.admin("/channels/deleted", "DELETE", expected=(204,))
        request(f"http://127.0.0.1:{PORTS['clear']}/control?channel=ch1&fault=restart", "POST")
        time.sleep(8)
        settings = {channel: self.admin(f"/channels/{channel}") for channel in CHANNELS if channel != "deleted"}
        self.postgres("stop")
        time.sleep(6)
        service.send_signal(signal.SIGKILL)
        service.wait()
        database = self.postgres("start")
        self.save(database, settings)

    @staticmethod
    def with_urls(settings):
        def url(text):
            origin, channel = text.split("/")
            return f"http://127.0.0.1:{PORTS[origin]}/{channel}/index.m3u8"
        made = dict(settings)
        if "source_url" in made:
            made["source_url"] = url(made["source_url"])
        else:
            made["sources"] = [{**source, "url": url(source["url"])} for source in made["sources"]]
        return made

    def save(self, database, settings):
        os.makedirs(self.out)
        dump = subprocess.run(
            ["pg_dump", "--no-owner", "--no-privileges", "-d", database], check=True, stdout=subprocess.PIPE,
            text=True).stdout
        # Only some minor versions of psql know these two.
        lines = [line for line in dump.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]
        with gzip.GzipFile(os.path.join(self.out, "database.sql.gz"), "wb", mtime=0) as file:
            file.write(("\n".join(lines) + "\n").encode())
        with tarfile.open(os.path.join(self.out, "files.tar.gz"), "w:gz") as tar:
            for name in ("state", "archive"):
                tar.add(self.path(name), arcname=name, filter=self.plain)
        manifest = {"token": self.token, "settings": settings, "segments": self.segments(database)}
        with open(os.path.join(self.out, "manifest.json"), "w") as file:
            json.dump(manifest, file, indent=1, sort_keys=True, ensure_ascii=False)
            file.write("\n")

    @staticmethod
    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    def segments(self, database):
        """By channel and rendition what was recorded, in order of time: digests as the ledgers have them."""
        published = set()
        for name in PORTS:
            with open(self.path(f"{name}.jsonl")) as ledger:
                published |= {json.loads(line)["sha256"] for line in ledger}
        found = {}
        rows = subprocess.run(
            ["psql", "-X", "-A", "-t", "-F", " ", "-v", "ON_ERROR_STOP=1", "-d", database, "-c",
             "SELECT slug, name, start_us, duration_us, encode(digest, 'hex') FROM segment"
             " JOIN rendition USING (rendition_id) JOIN channel USING (channel_id)"],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        for line in rows.splitlines():
            channel, rendition, start, duration, digest = line.split(" ")
            found.setdefault((channel, rendition), {})[int(start)] = (int(duration), digest, False)
        for channel in os.listdir(self.path("state/journal")):
            if channel.startswith("."):
                continue
            for name in sorted(os.listdir(self.path(f"state/journal/{channel}"))):
                if name.endswith(".jsonl"):
                    self.journalled(self.path(f"state/journal/{channel}/{name}"), found)
        for values in found.values():
            for _, digest, _ in values.values():
                assert digest in published, "recorded bytes that no origin published"
        return {
            channel: {
                rendition: [
                    {"start_us": start, "duration_us": duration, "sha256": digest, "journal": journal}
                    for start, (duration, digest, journal) in sorted(values.items())]
                for (other, rendition), values in sorted(found.items()) if other == channel}
            for channel in CHANNELS}

    @staticmethod
    def journalled(path, found):
        with open(path) as file:
            for line in file:
                entry = json.loads(line[9:]) if line.endswith("\n") else {}
                if "segment" in entry:
                    fact = entry["segment"]
                    rendition = found.setdefault((fact["channel"], fact["identity"]["rendition"]), {})
                    rendition.setdefault(fact["start"], (fact["duration"], bytes(fact["digest"]).hex(), True))

    def stop(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
                child.wait()
        subprocess.run([os.path.join(ROOT, "scripts", "postgres.sh"), "stop", self.path("postgres")], check=False)


def main():
    version, binaries = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix="backcast-upgrade-")
    maker = Maker(version, os.path.abspath(binaries), folder)
    try:
        maker.run()
    finally:
        maker.stop()
        shutil.rmtree(folder)


main()
