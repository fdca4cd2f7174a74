"""What serving costs beside nginx on the same bytes. `make bench`; ROWS=short,24h-gzip measures some rows only.

ROUNDS and ROUND_SECONDS change how long each row takes, DAYS and CHANNELS the size of the catalogue, which is kept in `var/bench`
and used again for a day. Results of all rows are written to bench/results.json, docs/PERFORMANCE.md and the README.
"""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from servers import BINARIES, Backcast, Nginx, Process, wait_for  # noqa: E402
import documents  # noqa: E402
from bounds import Bounds  # noqa: E402
from rates import Rates  # noqa: E402
from results import Results  # noqa: E402
from stack import ROOT  # noqa: E402

DAYS = int(os.environ.get("DAYS") or 7)
CHANNELS = int(os.environ.get("CHANNELS") or 50)
CHOSEN = [each for each in (os.environ.get("ROWS") or "").split(",") if each]


class Bench:
    """PostgreSQL with its catalogue, Backcast, nginx, and a channel that grows."""

    rounds = int(os.environ.get("ROUNDS") or 5)
    seconds = int(os.environ.get("ROUND_SECONDS") or 1)
    channels = CHANNELS
    size = f"{DAYS} days of {CHANNELS + 9} renditions with segments of 4 s (one of 2 s)"

    def __init__(self):
        self.kept = os.path.join(ROOT, "var", "bench")
        self.folder = os.path.join(self.kept, "run")
        self.archive = os.path.join(self.kept, "archive")
        self.results, self.running = Results(), []

    def start(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.start_database()
        self.plan = self.catalogue(
            "backcast", "--archive", self.archive, "--days", str(DAYS), "--channels", str(CHANNELS), "--short")
        self.backcast = Backcast(self.folder, self.database, self.archive)
        self.only_node = Backcast(self.folder, self.database, self.archive, role="run")
        self.nginx = Nginx(self.folder, self.archive)
        for server in (self.backcast, self.only_node, self.nginx):
            self.running.append(server)
            server.start()
        self.grow()

    def start_database(self):
        printed = subprocess.run([os.path.join(ROOT, "scripts", "postgres.sh"), "start", os.path.join(self.kept, "postgres")],
                                 check=True, stdout=subprocess.PIPE, text=True).stdout
        self.database = printed.strip().splitlines()[-1]

    def catalogue(self, database, *arguments):
        """What is in a database: that of an earlier run if it was made with the same arguments and is not old, else a new one."""
        note, made = os.path.join(self.kept, f"{database}.json"), [*arguments, *self.schema()]
        if os.path.exists(note):
            with open(note) as file:
                known = json.load(file)
            if known["made"] == made and time.time() - known["plan"]["end"] < 86400:
                return known["plan"]
            os.remove(note)
        print(f"filling a catalogue: {' '.join(arguments)}", flush=True)
        if "--archive" in arguments:
            shutil.rmtree(self.archive, ignore_errors=True)
        plan = self.fill(database, *arguments)
        with open(note, "w") as file:
            json.dump({"made": made, "plan": plan}, file)
        return plan

    def small_catalogue(self):
        """One channel, recorded as long as those of the large catalogue; its database."""
        self.catalogue("small", "--days", str(DAYS), "--channels", "1", "--variants", "0", "--end", str(int(self.plan["end"])))
        return self.uri("small")

    def uri(self, database):
        return self.database.replace("@/backcast?", f"@/{database}?")

    def schema(self):
        return sorted(os.listdir(os.path.join(ROOT, "migrations")))

    def fill(self, database, *arguments):
        """Makes a database, which is not synced meanwhile: it can be made again."""
        administrator = self.database.replace("//backcast@/backcast?", "//postgres@/postgres?")
        uri = self.uri(database)

        def sql(*statements):
            for statement in statements:
                subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement, administrator], check=True,
                               stdout=subprocess.DEVNULL)

        settings = {"fsync": "off", "full_page_writes": "off", "max_wal_size": "'8GB'", "autovacuum": "off"}
        sql(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)", f"CREATE DATABASE {database} OWNER backcast",
            *(f"ALTER SYSTEM SET {name} = {value}" for name, value in settings.items()), "SELECT pg_reload_conf()")
        subprocess.run([os.path.join(BINARIES, "backcast"), "migrate"], check=True,
                       env={**os.environ, "BACKCAST_DATABASE_URL": uri, "BACKCAST_LOG_LEVEL": "warning"})
        printed = subprocess.run([os.path.join(BINARIES, "Benchmarks"), "fill", "--database", uri, *arguments], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
        sql(*(f"ALTER SYSTEM RESET {name}" for name in settings), "SELECT pg_reload_conf()", "CHECKPOINT")
        return json.loads(printed)

    def grow(self):
        log = os.path.join(self.folder, "grow.log")
        self.live = f"live-{int(time.time())}"
        process = Process(
            [os.path.join(BINARIES, "Benchmarks"), "grow", "--database", self.database, "--channel", self.live], log)
        self.running.append(process)
        wait_for("the growing channel", 30, lambda: os.path.getsize(log) > 0)

    def stop(self):
        for each in reversed(self.running):
            each.end() if isinstance(each, Process) else each.stop()
        subprocess.run([os.path.join(ROOT, "scripts", "postgres.sh"), "stop", os.path.join(self.kept, "postgres")], check=False)


def raise_descriptor_limit():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main():
    raise_descriptor_limit()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
    bench, load = Bench(), os.getloadavg()[0]
    parts = [Rates(bench), Bounds(bench)]
    known = [key for part in parts for key in part.rows()]
    unknown = set(CHOSEN) - set(known)
    if unknown:
        sys.exit(f"bench: no row {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    try:
        bench.start()
        for part in parts:
            for key in part.rows():
                if not CHOSEN or key in CHOSEN:
                    part.run(key)
        if not CHOSEN:
            documents.save(bench, (load, os.getloadavg()[0]))
    finally:
        bench.stop()
    sys.exit(0 if bench.results.all_met() else 1)


if __name__ == "__main__":
    main()
