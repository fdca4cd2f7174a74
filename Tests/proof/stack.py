"""Starts and stops what a proof runs against: PostgreSQL, an origin with its ledger, and the service."""
import datetime
import http.client
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
BINARIES = os.path.join(ROOT, ".build", "release")
TOKEN = "admin-token-of-the-proofs"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(what, seconds, condition):
    """Asks until the answer is true; a miss is an error that says what was waited for."""
    end = time.time() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.time() > end:
            raise RuntimeError(f"{what} did not come within {seconds} s")
        time.sleep(0.2)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")


def request(url, method="GET", body=None, headers=None, timeout=30):
    data = None if body is None else (body if isinstance(body, bytes) else json.dumps(body).encode())
    asked = urllib.request.Request(url, data=data, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(asked, timeout=timeout) as answer:
            return Answer(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.headers, error.read())


class Process:
    """A child that is ended by its process id."""

    def __init__(self, arguments, log, environment=None):
        self.log = open(log, "ab")
        self.child = subprocess.Popen(
            arguments, stdout=self.log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})})

    @property
    def pid(self):
        return self.child.pid

    def is_running(self):
        return self.child.poll() is None

    def end(self, how=signal.SIGTERM, seconds=20):
        if self.is_running():
            self.child.send_signal(how)
            try:
                self.child.wait(seconds)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
        self.log.close()
        return self.child.returncode


class Stack:
    """One PostgreSQL, one origin, one service, in a folder of their own."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.origins = []
        self.service = None
        self.database = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def start_database(self):
        printed = subprocess.run(
            [os.path.join(ROOT, "scripts", "postgres.sh"), "start", self.path("postgres")],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        self.database = printed.strip().splitlines()[-1]

    def stop_database(self):
        subprocess.run(
            [os.path.join(ROOT, "scripts", "postgres.sh"), "stop", self.path("postgres")], check=False,
            stdout=subprocess.DEVNULL)

    def start_origin(self, *arguments, name="origin"):
        """Starts an origin; the ledger and the base are those of the last one started."""
        self.origin_port = free_port()
        self.origin_base = f"http://127.0.0.1:{self.origin_port}"
        self.ledger = self.path(f"{name}-ledger.jsonl")
        command = [os.path.join(BINARIES, "live-origin"), *arguments, "--port", str(self.origin_port),
                   "--folder", self.path(name), "--ledger", self.ledger]
        self.origins.append(Process(command, self.path(f"{name}.log")))
        wait_for("the origin", 180, lambda: self.has_said(self.path(f"{name}.log"), "Ready:"))
        return self.origin_base

    @staticmethod
    def has_said(log, word):
        with open(log, errors="replace") as file:
            return word in file.read()

    def start_service(self, **settings):
        environment = {
            "BACKCAST_LISTEN": f"127.0.0.1:{self.port}", "BACKCAST_DATABASE_URL": self.database,
            "BACKCAST_ARCHIVE": self.path("archive"), "BACKCAST_STATE": self.path("state"),
            "BACKCAST_ADMIN_TOKEN": TOKEN,
            **settings}
        self.service = Process([os.path.join(BINARIES, "backcast"), "run"], self.path("backcast.log"), environment)
        wait_for("the service", 30, self.is_ready)

    def is_ready(self):
        if not self.service.is_running():
            raise RuntimeError("the service ended: see " + self.path("backcast.log"))
        try:
            return request(self.base + "/readyz", timeout=2).status == 200
        except (urllib.error.URLError, OSError, http.client.HTTPException):
            return False

    def kill_service(self):
        self.service.end(signal.SIGKILL)

    def stop(self):
        for process in (self.service, *self.origins):
            if process:
                process.end()
        if self.database:
            self.stop_database()

    # The admin API

    def admin(self, path, method="GET", body=None, headers=None):
        return request(
            f"{self.base}/api/v1{path}", method, body,
            {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **(headers or {})})

    def add_channel(self, channel, url, **fields):
        answer = self.admin("/channels", "POST", {"id": channel, "source_url": url, **fields})
        if answer.status != 201:
            raise RuntimeError(f"channel {channel}: {answer.status} {answer.text}")

    def status(self, channel):
        return self.admin(f"/channels/{channel}/status").json()

    def wait_until_settled(self, channel, instant, seconds=60):
        """Waits until the live edge of a channel has passed an instant."""
        def passed():
            edge = self.status(channel).get("live_edge")
            return edge and datetime.datetime.fromisoformat(edge.replace("Z", "+00:00")).timestamp() >= instant
        wait_for(f"the live edge of {channel}", seconds, passed)

    def sql(self, text):
        """Rows as lists of words, through psql."""
        printed = subprocess.run(
            ["psql", "-X", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", text, self.database], check=True,
            stdout=subprocess.PIPE, text=True).stdout
        return [line.split("\t") for line in printed.splitlines()]
