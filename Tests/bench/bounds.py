"""Rows of one server at its limits: cold windows, first bytes, other requests meanwhile, memory, the size of the catalogue."""
import json
import random
import socket
import statistics
import threading
import time
from functools import partial

from clients import Connection, Probe, load, once
from rates import Rates
from servers import TOKEN, Backcast, request

DAY = 86400
IDLE_CONNECTIONS = 9900
# What a token costs is a few per cent, and a round of a second varies by more.
TOKEN_PAIRS = 25


class Bounds:
    def __init__(self, bench):
        self.bench, self.chance = bench, random.Random(11)

    def rows(self):
        return {
            "download-range": ("first byte of a Range of a 24 h download.ts, slowest of 40 places", self.first_byte, 5),
            "cold-day": ("24 h (43,200 segments), caches empty, PostgreSQL warm, whole answer", self.cold_day, 8),
            "cold-frames": ("I-frame playlist of 24 h (43,200 key frames), caches empty, PostgreSQL warm", self.cold_frames, 5),
            "healthz-64": ("/healthz, worst, while 64 connections ask HEAD of 24 h downloads", partial(self.downloads, 64), 20),
            "healthz-200": ("/healthz, worst, while 200 connections ask HEAD of 24 h downloads", partial(self.downloads, 200), 20),
            "healthz-cold": (f"/healthz, worst, while 300 connections ask cold days of {self.bench.channels} channels",
                             self.cold_days, 20),
            "bad-input": ("live list, 99 %, while bad requests of all kinds come", self.bad_input, 50),
            "tokens": ("short window of 2 min, random begins: processor time with tokens and without", self.tokens, 1.05),
            "catalogue-size": ("cold day of a channel: its catalogue alone and among all", self.catalogue_size, 1.1),
            "memory": ("resident memory, caches full, 2,000 idle connections, 200 active ones", self.memory, 512),
            "idle": (f"memory of an idle connection, {IDLE_CONNECTIONS:,} open", self.idle, 6),
        }

    def run(self, key):
        what, measure, limit = self.rows()[key]
        measure(key, what, limit)

    def add(self, key, what, limit, value, unit, detail="", **figures):
        self.bench.results.add(
            key, what, f"{limit:g} {unit}".strip(), f"{short(value)} {unit}".strip() + (f" ({detail})" if detail else ""), value <= limit,
            value=round(value, 3), unit=unit, **figures)

    def singles(self):
        return [name for name in self.bench.plan["channels"] if name not in ("variants", "short")]

    def days(self):
        """Whole days of the catalogue, newest first, off the grid of quarters."""
        begin, end = self.bench.plan["begin"], self.bench.plan["end"]
        return [start for start in (end - number * DAY - 100.5 for number in range(1, 32)) if start > begin]

    @staticmethod
    def window(channel, begin, length=DAY):
        return f"/live/{channel}/index.m3u8?begintime={int(begin * 1000)}&duration={length}"

    # A single answer

    def first_byte(self, key, what, limit):
        """Each place three times: the median of it counts."""
        plan, connection = self.bench.plan, Connection(self.bench.backcast.port)
        end = plan["end"]
        path = f"/live/short/download.ts?begintime={int((end - DAY) * 1000)}&endtime={int(end * 1000)}"
        size = int(connection.ask(path, "HEAD")[1]["content-length"])
        places = [self.chance.randrange(size - 1000) for _ in range(40)]
        times = []
        for place in places:
            one = []
            for _ in range(3):
                status, _, _, first, _ = connection.ask(path, headers={"Range": f"bytes={place}-{place + 999}"})
                if status != 206:
                    raise RuntimeError(f"{path}: {status}")
                one.append(first * 1000)
            times.append(statistics.median(one))
        connection.close()
        self.add(key, what, limit, max(times), "ms", f"median {statistics.median(times):.2f} ms")

    def cold_times(self, server, channel, file="index"):
        """Each whole day once, after a restart each round. A first round makes PostgreSQL warm and does not count."""
        times = []
        for number in range(self.bench.rounds + 1):
            server.restart()
            connection = Connection(server.port)
            connection.ask(f"/live/{channel}/index.m3u8")
            for begin in self.days():
                path = self.window(channel, begin).replace("/index.m3u8", f"/{file}.m3u8")
                status, _, body, _, seconds = connection.ask(path)
                if status != 200 or len(body) < 1000:
                    raise RuntimeError(f"{channel}: {status} {body[:200]}")
                if number > 0:
                    times.append(seconds * 1000)
            connection.close()
        return times

    def cold_day(self, key, what, limit):
        times = self.cold_times(self.bench.backcast, "short")
        self.add(key, what, limit, statistics.median(times), "ms", f"{min(times):.1f} to {max(times):.1f} ms, {len(times)} windows")

    def cold_frames(self, key, what, limit):
        times = self.cold_times(self.bench.backcast, "c0", "v0-iframes")
        self.add(key, what, limit, statistics.median(times), "ms", f"{min(times):.1f} to {max(times):.1f} ms, {len(times)} windows")

    def catalogue_size(self, key, what, limit):
        """Two services in turn on two databases of one cluster; the same channel, the same days."""
        plan = self.bench.plan
        small = Backcast(self.bench.folder, self.bench.small_catalogue(), self.bench.archive)
        small.start()
        try:
            pairs = [(self.cold_times(self.bench.backcast, "c0"), self.cold_times(small, "c0")) for _ in range(2)]
        finally:
            small.stop()
        ratio = statistics.median(statistics.median(one) / statistics.median(other) for one, other in pairs)
        weeks = (plan["end"] - plan["begin"]) / DAY / 7
        renditions = sum(len(channel["renditions"]) for channel in plan["channels"].values())
        large, little = (statistics.median(sum((pair[index] for pair in pairs), [])) for index in (0, 1))
        self.add(key, what, limit, ratio, "×",
                 f"{little:.1f} ms with {weeks:.2g} rendition-weeks, {large:.1f} ms with {renditions * weeks:.2g}")

    # /healthz while others ask

    def meanwhile(self, key, what, limit, targets, **asked):
        """The load has a low priority, as clients have machines of their own. An idle nginx shows what the machine adds."""
        probe, idle = Probe(self.bench.backcast.port), Probe(self.bench.nginx.port)
        probe.start()
        idle.start()
        seen = load(self.bench.backcast.port, targets, seconds=max(4, 2 * self.bench.seconds), niceness=10, **asked)
        worst, usual, count = probe.finish()
        detail = f"median of {count:,}: {usual:.1f} ms; worst of an idle nginx {idle.finish()[0]:.1f} ms; " \
                 f"{seen['requests']:,} answers of the others, {seen['refused']:,} of them 503"
        self.add(key, what, limit, worst, "ms", detail, others=seen)

    def downloads(self, connections, *row):
        targets, method, _ = Rates(self.bench).downloads()["backcast"]
        self.meanwhile(*row, targets, method=method, connections=connections)

    def cold_days(self, key, what, limit):
        self.bench.backcast.restart()
        paths = [self.window(channel, begin) for channel in self.singles() for begin in self.days()]
        self.chance.shuffle(paths)
        targets = Rates(self.bench).targets("cold", paths)
        self.meanwhile(key, what, limit, targets, connections=300, headers={"X-Forwarded-For": "each"})

    def bad_input(self, key, what, limit):
        """1,000 unknown channels, 300 cold days, 64 HEAD of days, 300 downloads that are not read, and large bodies without a token, all
        at once; then again after a restart. The live list is asked for until the last of them is answered."""
        rates, server, times, most_memory, seconds = Rates(self.bench), self.bench.backcast, [], 0, []
        cold = [self.window(channel, begin) for channel in self.singles() for begin in self.days()]
        day = self.window("short", self.days()[0]).replace("index.m3u8", "download.ts")
        for _ in range(self.bench.rounds):
            server.restart()
            slugs = [f"/live/none-{self.chance.randrange(10**9)}/index.m3u8" for _ in range(1000)]
            heads = [self.window("short", self.days()[0] - each).replace("index.m3u8", "download.ts") for each in range(64)]
            asked = [
                partial(once, server.port, rates.targets("slugs", slugs), connections=100),
                partial(once, server.port, rates.targets("cold", self.chance.sample(cold, 300)), connections=300),
                partial(once, server.port, rates.targets("heads", heads), connections=64, method="HEAD"),
            ]
            probe, ending = Probe(server.port, f"/live/{self.bench.live}/index.m3u8"), threading.Event()
            bodies = threading.Thread(target=post_bodies, args=(server.port, ending))
            probe.start()
            bodies.start()
            slow, began = [open_slow(server.port, day) for _ in range(300)], time.monotonic()
            threads = [threading.Thread(target=each) for each in asked]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
            seconds.append(time.monotonic() - began)
            probe.finish()
            ending.set()
            bodies.join()
            times += probe.times
            most_memory = max(most_memory, server.memory()[1])
            for each in slow:
                each.close()
        times.sort()
        self.add(key, what, limit, times[int(0.99 * (len(times) - 1))], "ms",
                 f"median of {len(times):,}: {times[len(times) // 2]:.1f} ms; all are answered in {statistics.median(seconds):.1f} s; "
                 f"{most_memory / 1024:.0f} MB at most")

    def tokens(self, key, what, limit):
        """Two services of one kind on one catalogue, one of which has a secret; in turn, the same windows."""
        plain, rates = self.bench.only_node, Rates(self.bench)
        private = Backcast(self.bench.folder, self.bench.database, self.bench.archive, role="run", secret="s" * 40)
        private.start()
        try:
            until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
            answer = request(
                f"http://127.0.0.1:{private.port}/api/v1/tokens", "POST", {"channel": "*", "expires_at": until},
                {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
            prefix = json.loads(answer.body)["path_prefix"].rstrip("/")
            paths = [rates.window("short", 120) for _ in range(5000)]
            asked = [(plain, rates.targets("plain", paths)), (private, rates.targets("private", [prefix + path for path in paths]))]
            for server, targets in asked:
                load(server.port, targets, seconds=3)
            ratios = []
            for _ in range(TOKEN_PAIRS):
                first, second = [rates.measure(server, targets, "GET", {})["cpu_us"] for server, targets in asked]
                ratios.append(second / first)
        finally:
            private.stop()
        self.add(key, what, limit, statistics.median(ratios), "×", f"{min(ratios):.3f} to {max(ratios):.3f} ×")

    # Memory

    def memory(self, key, what, limit):
        """Every channel and day is asked for, plain and gzip; then idle and active viewers stay while it is measured."""
        server = self.bench.backcast
        connection = Connection(server.port)
        for name in self.bench.plan["channels"]:
            for begin in self.days():
                for headers in ({}, {"Accept-Encoding": "gzip"}):
                    connection.ask(self.window(name, begin), headers=headers)
        connection.close()
        idle = open_idle(server.port, 2000)
        targets = Rates(self.bench).targets("viewers", [
            self.window(self.chance.choice(self.singles()), self.bench.plan["end"] - self.chance.uniform(4000, 2 * DAY), 3600)
            for _ in range(2000)] + [f"/live/{self.bench.live}/index.m3u8"] * 2000)
        load(server.port, targets, seconds=5, connections=200, headers={"Accept-Encoding": "gzip"}, niceness=10)
        resident, most = server.memory()
        for each in idle:
            each.close()
        self.add(key, what, limit, most / 1024, "MB", f"{resident / 1024:.0f} MB at the end")

    def idle(self, key, what, limit):
        """Each connection has asked once; what the process grew by is shared out."""
        server = self.bench.backcast
        server.restart()
        for each in open_idle(server.port, 200):
            each.close()
        time.sleep(1)
        before = server.memory()[0]
        idle = open_idle(server.port, IDLE_CONNECTIONS)
        after = server.memory()[0]
        for each in idle:
            each.close()
        self.add(key, what, limit, (after - before) * 1.024 / len(idle), "kB", f"{before / 1024:.0f} to {after / 1024:.0f} MB")


def short(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def open_idle(port, count):
    """Connections that have asked once and stay open."""
    idle = []
    for number in range(count):
        connection = socket.create_connection(("127.0.0.1", port), timeout=30)
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        idle.append(connection)
        if number % 64 == 63:
            for each in idle[-64:]:
                each.recv(4096)
    return idle


def open_slow(port, path):
    """A download of which nothing is read."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(30)
    connection.connect(("127.0.0.1", port))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
    return connection


def post_bodies(port, ending):
    """Sends channels of a megabyte without a token, one after the other; each connection is closed by the service."""
    head = "POST /api/v1/channels HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n"
    while not ending.is_set():
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            try:
                connection.sendall(head.encode() + b" " * 1048576)
                connection.recv(4096)
            except OSError:
                pass
