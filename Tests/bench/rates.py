"""Rows that compare both servers at full load: the same answers, in turn, five rounds; the median of the rounds counts."""
import gzip
import os
import random
import statistics
import time

from clients import Connection, load

GZIP = {"Accept-Encoding": "gzip"}
# Targets of nginx are finished files, fewer than the windows that Backcast is asked for; files of a day have 0.8 MB.
WINDOWS = {"short": (120, 500), "two_hours": (7200, 500), "day": (86400, 120), "master": (86400, 120)}
BACKCAST_TARGETS = 20000
# A week of eight renditions is more than the service keeps in memory.
MASTER_DAYS = 3
# Several nodes ask each other's facts before a list that grows; these rows are of a node that records and serves.
ONE_NODE = ("live", "live-gzip", "live-304")
WARMING_SECONDS = 1


class Goal:
    """A limit of processor time for each request: microseconds, or a multiple of what nginx takes."""

    def __init__(self, microseconds=None, ratio=None):
        self.microseconds, self.ratio = microseconds, ratio

    def text(self):
        if self.ratio is None and self.microseconds is None:
            return ""
        return f"{self.ratio:g} × nginx" if self.ratio else f"{self.microseconds:g} µs"

    def holds(self, backcast, ratio):
        """None if there is no goal."""
        if self.ratio is None and self.microseconds is None:
            return None
        return ratio <= self.ratio if self.ratio else backcast <= self.microseconds


NO_GOAL = Goal()


class Rates:
    def __init__(self, bench):
        self.bench, self.chance = bench, random.Random(8)

    def rows(self):
        """Name of the row, how it is prepared, goal."""
        short, hours, day, master = "short window of 2 min", "2 h, random begins", "24 h, random begins", "24 h, master of 8 renditions"
        segment = "segment of {}, random"
        return {
            "healthz": ("/healthz", lambda: self.same("/healthz"), Goal(16)),
            "short": (short + ", asked by all", lambda: self.one_window({}), Goal(ratio=2)),
            "short-gzip": (short + ", asked by all, gzip", lambda: self.one_window(GZIP), Goal(ratio=2.5)),
            "short-random": (short + ", random begins", lambda: self.windows("short"), NO_GOAL),
            "short-random-gzip": (short + ", random begins, gzip", lambda: self.windows("short", GZIP), NO_GOAL),
            "2h": (hours, lambda: self.windows("two_hours"), Goal(ratio=1.6)),
            "2h-gzip": (hours + ", gzip", lambda: self.windows("two_hours", GZIP), Goal(ratio=3)),
            "24h": (day, lambda: self.windows("day"), Goal(ratio=0.9)),
            "24h-gzip": (day + ", gzip", lambda: self.windows("day", GZIP), Goal(ratio=2.5)),
            "master": (master, lambda: self.windows("master"), Goal(80)),
            "master-gzip": (master + ", gzip", lambda: self.windows("master", GZIP), Goal(80)),
            "download-head": ("HEAD of a 24 h download.ts, 43,200 segments", self.downloads, Goal(500)),
            "live": ("live list, asked by all, one node", lambda: self.live({}), Goal(16)),
            "live-gzip": ("live list, asked by all, one node, gzip", lambda: self.live(GZIP), Goal(16)),
            "live-304": ("live list, 304, one node", self.unchanged, Goal(16)),
            "live-nodes": ("live list, asked by all, one of several nodes", lambda: self.live({}), NO_GOAL),
            "segment-75k": (segment.format("75 kB"), lambda: self.segments("short", 2000), Goal(ratio=1.2)),
            "segment-1m": (segment.format("1 MB"), lambda: self.segments("c0", 60), Goal(ratio=1)),
            "segment-2.5m": (segment.format("2.5 MB"), lambda: self.segments("c1", 60), Goal(ratio=1)),
        }

    def run(self, key):
        """Measures one row and gives it to the results."""
        title, prepare, goal = self.rows()[key]
        asked = prepare()
        own = self.bench.only_node if key in ONE_NODE else self.bench.backcast
        servers = {"backcast": own, "nginx": self.bench.nginx}
        rounds = {name: [] for name in asked}
        for name, (targets, method, headers) in asked.items():
            load(servers[name].port, targets, WARMING_SECONDS, method=method, headers=headers)
        for _ in range(self.bench.rounds):
            for name, (targets, method, headers) in asked.items():
                rounds[name].append(self.measure(servers[name], targets, method, headers))
        self.bench.results.add_rate(key, title, goal, rounds)

    def measure(self, server, targets, method, headers):
        began = server.processor_seconds()
        seen = load(server.port, targets, self.bench.seconds, method=method, headers=headers)
        used = server.processor_seconds() - began
        if seen["refused"] or seen["broken"] or not seen["requests"]:
            raise RuntimeError(f"{server.name}: {seen}")
        seen["cpu_us"] = used * 1e6 / seen["requests"]
        seen["cpu_s_per_gb"] = used * 1e9 / seen["bytes"]
        seen["per_second"] = seen["requests"] / seen["seconds"]
        return seen

    # What is asked

    def same(self, path):
        targets = self.targets("same", [path])
        return {"backcast": (targets, "GET", {}), "nginx": (targets, "GET", {})}

    def windows(self, kind, headers=None):
        """Windows of random begins; nginx has the finished answers of some as files, with `.gz` beside each."""
        length, count = WINDOWS[kind]
        paths = [self.window(kind, length) for _ in range(BACKCAST_TARGETS)]
        files = self.files(kind, paths[:count])
        self.warm("variants" if kind == "master" else "c2")
        return {"backcast": (self.targets(kind, paths), "GET", headers or {}), "nginx": (files, "GET", headers or {})}

    def one_window(self, headers):
        path = self.window("short", WINDOWS["short"][0])
        files = self.files("one", [path])
        return {"backcast": (self.targets("one", [path]), "GET", headers), "nginx": (files, "GET", headers)}

    def window(self, kind, length):
        plan, path = self.bench.plan, "variants/master" if kind == "master" else "c2/index"
        first = max(plan["begin"], plan["end"] - MASTER_DAYS * 86400) if kind == "master" else plan["begin"]
        begin = self.chance.uniform(first, plan["end"] - length)
        return f"/live/{path}.m3u8?begintime={int(begin * 1000)}&duration={length}"

    def warm(self, channel):
        """Asks for every day once, so that what fits into memory is there."""
        connection, begin = Connection(self.bench.backcast.port), self.bench.plan["begin"]
        while begin < self.bench.plan["end"] - 1:
            length = min(86400, self.bench.plan["end"] - begin)
            connection.ask(f"/live/{channel}/index.m3u8?begintime={int(begin * 1000)}&duration={int(length)}")
            begin += length
        connection.close()

    def files(self, kind, paths):
        folder = os.path.join(self.bench.folder, "files", kind)
        os.makedirs(folder, exist_ok=True)
        connection = Connection(self.bench.backcast.port)
        for index, path in enumerate(paths):
            status, _, body, _, _ = connection.ask(path)
            if status != 200:
                raise RuntimeError(f"{path}: {status} {body[:200]}")
            name = os.path.join(folder, f"{index}.m3u8")
            with open(name, "wb") as file:
                file.write(body)
            with open(name + ".gz", "wb") as file:
                file.write(gzip.compress(body, 6))
        connection.close()
        return self.targets(f"{kind}-files", [f"/files/{kind}/{index}.m3u8" for index in range(len(paths))])

    def downloads(self):
        end = self.bench.plan["end"]
        begins = [int((end - 86400 - 3600 * self.chance.random()) * 1000) for _ in range(2000)]
        paths = [f"/live/short/download.ts?begintime={begin}&endtime={begin + 86400000}" for begin in begins]
        self.warm("short")
        return {"backcast": (self.targets("downloads", paths), "HEAD", {})}

    def live(self, headers):
        """One list that grows meanwhile; nginx has it as it was."""
        path = f"/live/{self.bench.live}/index.m3u8"
        files = self.files("live", [path])
        return {"backcast": (self.targets("live", [path]), "GET", headers), "nginx": (files, "GET", headers)}

    def unchanged(self):
        """A list that does not grow, with its entity tag; both answers have to come on one connection."""
        path, connection = "/live/c3/index.m3u8", Connection(self.bench.only_node.port)
        tag = connection.ask(path)[1]["etag"]
        for _ in range(2):
            status = connection.ask(path, headers={"If-None-Match": tag})[0]
            if status != 304:
                raise RuntimeError(f"{path} with its tag: {status}")
        connection.close()
        return {"backcast": (self.targets("unchanged", [path]), "GET", {"If-None-Match": tag})}

    def segments(self, channel, count):
        """The newest segments of a channel, by URL and as files of the archive."""
        seconds, end = self.bench.plan["channels"][channel]["seconds"], self.bench.plan["end"]
        urls, files = [], []
        for place in range(1, count + 1):
            start = end - place * seconds
            folder = time.strftime("%Y-%m-%d/%H", time.gmtime(start))
            name = f"{int(start * 1000)}.ts"
            urls.append(f"/live/{channel}/v0/{name}")
            files.append(f"/live/{channel}/v0/{folder}/{name}")
        self.chance.shuffle(urls)
        return {"backcast": (self.targets("urls", urls), "GET", {}), "nginx": (self.targets("names", files), "GET", {})}

    def targets(self, name, paths):
        path = os.path.join(self.bench.folder, f"{name}.targets")
        with open(path, "w") as file:
            file.write("\n".join(paths) + "\n")
        return path


def median(rounds, field):
    return statistics.median(each[field] for each in rounds)
