"""A cache in front of two nodes, as the samples in deploy/ have it, and many players of one live channel. `make prove-cache`.

CACHES, PLAYERS and SECONDS_TO_RUN choose the caches and the size. Most players take gzip. In the middle one node is killed, and started
again. Prints a table and fails on a miss.
"""
import asyncio
import gzip
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ingest import SEGMENT_SECONDS, make_media  # noqa: E402
from stack import BINARIES, ROOT, TOKEN, Process, Stack, free_port, request, wait_for  # noqa: E402
from table import Table  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PLAYERS = int(os.environ.get("PLAYERS") or 500)
# As libraries and browsers write it; most players send nothing.
CODINGS = [""] + [
    f"Accept-Encoding: {value}\r\n"
    for value in ["gzip", "gzip, deflate", "gzip, deflate, br", "gzip, deflate, br, zstd", "deflate, gzip, br, zstd"]]
SECONDS = int(os.environ.get("SECONDS_TO_RUN") or 60)
CACHES = (os.environ.get("CACHES") or "nginx varnish").split()
PATH = "/live/ch0/index.m3u8"


def sample(name, changes):
    """A sample of deploy/ with other ports and folders."""
    with open(os.path.join(ROOT, "deploy", name)) as file:
        text = file.read()
    for old, new in changes:
        if old not in text:
            raise RuntimeError(f"{name} has no {old}")
        text = text.replace(old, new)
    return text


def start_nginx(cluster):
    path = cluster.stack.path("nginx.conf")
    text = sample("nginx-cache.conf.sample", (
        ("listen 80;", f"listen 127.0.0.1:{cluster.port};"), ("listen [::]:80;", ""),
        ("127.0.0.1:8080;", f"127.0.0.1:{cluster.ports[0]};"), ("127.0.0.1:8082;", f"127.0.0.1:{cluster.ports[1]};"),
        ("/var/cache/backcast", cluster.stack.path("cache")), ("/var/log/nginx/", cluster.stack.path(""))))
    with open(path, "w") as file:
        file.write(f"daemon off; worker_processes 2; pid {cluster.stack.path('nginx.pid')};\n"
                   f"error_log {cluster.stack.path('nginx-error.log')};\nevents {{ worker_connections 4096; }}\n"
                   f"http {{ access_log off;\n{text}\n}}\n")
    subprocess.run(["nginx", "-t", "-q", "-c", path], check=True)
    return Process(["nginx", "-c", path], cluster.stack.path("nginx.log"))


def start_varnish(cluster):
    """The sample itself is compiled, too: what runs has other ports."""
    subprocess.run(["varnishd", "-C", "-f", os.path.join(ROOT, "deploy", "varnish.vcl.sample")], check=True, capture_output=True)
    path = cluster.stack.path("varnish.vcl")
    with open(path, "w") as file:
        file.write(sample("varnish.vcl.sample", (
            ('.port = "8080";', f'.port = "{cluster.ports[0]}";'), ('.port = "8082";', f'.port = "{cluster.ports[1]}";'))))
    return Process(["varnishd", "-F", "-j", "none", "-n", cluster.stack.path("varnish"), "-f", path, "-T", "none",
                    "-a", f"127.0.0.1:{cluster.port}", "-s", "malloc,256m"], cluster.stack.path("varnish.log"))


STARTS = {"nginx": start_nginx, "varnish": start_varnish}


class Cluster:
    """A recorder, two nodes that only serve, and a cache."""

    def __init__(self, folder):
        self.stack = Stack(folder)
        self.nodes = []
        self.ports = [free_port(), free_port()]
        self.port = free_port()
        self.cache = None

    def start(self):
        stack = self.stack
        stack.start_database()
        media = os.path.join(tempfile.gettempdir(), "backcast-ingest-media")
        make_media(media)
        log = stack.path("origin.log")
        stack.origins.append(Process(
            [sys.executable, os.path.join(HERE, "loop_origin.py"), media, "1", str(SEGMENT_SECONDS)], log))
        wait_for("the origin", 30, lambda: stack.has_said(log, "port"))
        with open(log) as file:
            origin = f"http://127.0.0.1:{int(file.readline().split()[1])}"
        stack.start_service()
        stack.add_channel("ch0", f"{origin}/0/index.m3u8")
        for port in self.ports:
            self.nodes.append(self.start_node(port))

    def use(self, cache):
        if self.cache:
            self.cache.end()
            self.port = free_port()
        self.cache = STARTS[cache](self)
        wait_for(f"the channel behind {cache}", 90, lambda: self.answers(self.port, PATH))

    def start_node(self, port):
        stack = self.stack
        node = Process([os.path.join(BINARIES, "backcast"), "serve"], stack.path(f"node-{port}.log"), {
            "BACKCAST_LISTEN": f"127.0.0.1:{port}", "BACKCAST_DATABASE_URL": stack.database,
            "BACKCAST_ARCHIVE": stack.path("archive"), "BACKCAST_ADMIN_TOKEN": TOKEN,
            "BACKCAST_TRUSTED_PROXIES": "127.0.0.1", "BACKCAST_CANONICAL": "true"})
        wait_for(f"the node at {port}", 30, lambda: self.answers(port, "/readyz"))
        return node

    @staticmethod
    def answers(port, path):
        try:
            return request(f"http://127.0.0.1:{port}{path}", timeout=5).status == 200
        except OSError:
            return False

    def reached(self):
        """Playlists that the nodes have answered since they were started, by port."""
        counts = {}
        for port in self.ports:
            try:
                text = request(f"http://127.0.0.1:{port}/metrics", timeout=5).text
            except OSError:
                continue
            counts[port] = sum(
                float(line.split()[-1]) for line in text.splitlines()
                if line.startswith("backcast_http_requests_total") and 'route="playlist"' in line)
        return counts

    def stop(self):
        for process in [self.cache, *self.nodes]:
            if process:
                process.end()
        self.stack.stop()


class Seen:
    def __init__(self):
        self.answers = 0
        self.failed = 0
        self.shorter = 0
        self.newest = 0
        self.late = []


async def play(port, number, until, seen):
    """Reloads once in a target duration; the numbers of the list may only grow."""
    generator = random.Random(number)
    await asyncio.sleep(generator.random() * SEGMENT_SECONDS)
    coding = CODINGS[number % len(CODINGS)]
    first = end = 0
    reader = writer = None
    while time.time() < until:
        began = time.time()
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET {PATH} HTTP/1.1\r\nHost: tv.example.org\r\n{coding}\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            body = await reader.readexactly(int(re.search(r"(?i)content-length: (\d+)", head)[1]))
            if not head.startswith("HTTP/1.1 200"):
                raise ValueError(head.split("\r\n", 1)[0])
            text = (gzip.decompress(body) if "gzip" in head else body).decode()
            sequence = int(re.search(r"#EXT-X-MEDIA-SEQUENCE:(\d+)", text)[1])
            count = text.count("#EXTINF")
            seen.answers += 1
            if sequence < first or sequence + count < end:
                seen.shorter += 1
            first, end = sequence, sequence + count
            seen.newest = max(seen.newest, end)
            seen.late.append(time.time() - began)
        except (OSError, ValueError, TypeError, asyncio.IncompleteReadError):
            seen.failed += 1
            writer = None
        await asyncio.sleep(max(0, SEGMENT_SECONDS - (time.time() - began)))
    if writer:
        writer.close()


async def disturb(cluster):
    """Kills a node in the middle and starts it again."""
    await asyncio.sleep(SECONDS / 2)
    counts = cluster.reached()
    cluster.nodes[0].end(9)
    await asyncio.sleep(min(5, SECONDS / 6))
    loop = asyncio.get_running_loop()
    cluster.nodes[0] = await loop.run_in_executor(None, cluster.start_node, cluster.ports[0])
    return counts.get(cluster.ports[0], 0)


async def watch(cluster, seen):
    until = time.time() + SECONDS
    players = [play(cluster.port, number, until, seen) for number in range(PLAYERS)]
    before, *_ = await asyncio.gather(disturb(cluster), *players)
    return before


def show(table, cluster, cache):
    seen = Seen()
    cluster.use(cache)
    time.sleep(10)
    first = cluster.reached()
    began = time.time()
    of_killed = asyncio.run(watch(cluster, seen))
    seconds = time.time() - began
    last = cluster.reached()
    reached = sum(last.values()) + of_killed - sum(first.values())
    table.row(f"{cache}: playlists that reach the nodes, of {seen.answers} to {PLAYERS} players", "at most 2 a second",
              f"{reached / seconds:.2f} a second", 0 < reached / seconds <= 2)
    table.row(f"{cache}: playlists that are shorter than the one before", "none", seen.shorter, seen.shorter == 0)
    table.row(f"{cache}: answers that failed while a node was killed", "none", seen.failed, seen.failed == 0)
    expected = PLAYERS * SECONDS / SEGMENT_SECONDS * 0.8
    table.row(f"{cache}: answers", f"at least {expected:.0f}", seen.answers, seen.answers >= expected)
    newest = request(f"{cluster.stack.base}{PATH}").text
    end = int(re.search(r"SEQUENCE:(\d+)", newest)[1]) + newest.count("#EXTINF")
    table.row(f"{cache}: segments by which players are behind the recorder at the end", "at most 2", end - seen.newest,
              0 <= end - seen.newest <= 2)


def show_bans(table, cluster):
    """An operator may drop what is cached; who comes through a proxy on the same machine may not."""
    for who, fields, status in (("an operator", {}, 200), ("a viewer behind a proxy", {"X-Forwarded-For": "192.0.2.1"}, 403)):
        seen = request(f"http://127.0.0.1:{cluster.port}{PATH}", "BAN", None, {"Cache-Tag": "ch-none", **fields}).status
        table.row(f"varnish: BAN by {who}", status, seen, seen == status)


class FinalNodes:
    """Two nodes that have final windows only, and a cache."""

    def __init__(self, stack):
        self.stack = stack
        self.ports = [free_port(), free_port()]
        self.port = free_port()
        self.nodes = {port: Process([sys.executable, os.path.join(HERE, "final_node.py"), str(port)],
                                    stack.path(f"final-{port}.log")) for port in self.ports}
        self.cache = start_varnish(self)

    def get(self):
        return request(f"http://127.0.0.1:{self.port}{PATH}", timeout=10)

    def stop(self):
        for process in [self.cache, *self.nodes.values()]:
            process.end()


def show_final_windows(table, stack):
    """A final window may be repaired: while a node answers, no viewer gets what has expired long ago."""
    nodes = FinalNodes(stack)
    # The second that the nodes say, the ten seconds of the sample, and some.
    age = 13
    try:
        wait_for("a final window", 30, lambda: Cluster.answers(nodes.port, PATH))
        first = nodes.get().text
        time.sleep(age)
        second = nodes.get().text
        table.row("varnish: a final window that expired", "is asked for again", f"{first}, then {second}", first != second)
        # A request of a moment ago has asked for it in the background.
        time.sleep(age)
        owner = int(nodes.get().text.split()[0])
        time.sleep(age)
        nodes.nodes[owner].end(9)
        third = nodes.get()
        table.row("varnish: the same when its node is killed", "the other node answers", f"{third.status} {third.text[:20]}",
                  third.status == 200 and third.text.split()[0] != str(owner))
        time.sleep(age)
        for node in nodes.nodes.values():
            node.end(9)
        wait_for("what is in the cache", 60, lambda: Cluster.answers(nodes.port, PATH))
        last = nodes.get()
        table.row("varnish: the same when no node answers", "as it was", last.text, last.text == third.text)
    finally:
        nodes.stop()


def main():
    table = Table()
    folder = tempfile.mkdtemp(prefix="backcast-cache-")
    os.chmod(folder, 0o755)
    cluster = Cluster(folder)
    try:
        cluster.start()
        for cache in CACHES:
            show(table, cluster, cache)
            if cache == "varnish":
                show_bans(table, cluster)
                cluster.cache.end()
                show_final_windows(table, cluster.stack)
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
    except BaseException:
        cluster.stop()
        print(f"see {folder}", file=sys.stderr)
        raise
    sys.exit(0 if table.close() else 1)


if __name__ == "__main__":
    main()
