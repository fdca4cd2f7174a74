"""Asks servers: with wrk for rates, on plain sockets where a single answer is timed."""
import json
import multiprocessing
import os
import socket
import subprocess
import time

from stack import ROOT

HERE = os.path.dirname(os.path.abspath(__file__))


def load(port, targets, seconds=1, connections=16, method="GET", headers=None, niceness=0):
    """Asks for the targets of a file on some connections; what was seen, times in milliseconds."""
    command = command_of(port, targets, seconds, connections, method, headers or {})
    printed = subprocess.run(["nice", "-n", str(niceness), *command], check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(printed[printed.index("{"):])


def once(port, targets, connections, method="GET"):
    """Asks once for each target of a file, so many at a time."""
    requests = targets + ".curl"
    with open(targets) as paths, open(requests, "w") as file:
        for path in paths:
            file.write(f'url = "http://127.0.0.1:{port}{path.strip()}"\noutput = "/dev/null"\n')
    command = ["nice", "-n", "10", "curl", "-s", "--parallel", "--parallel-immediate", "--parallel-max", str(connections), "-K", requests]
    subprocess.run(command + ["--head"] * (method == "HEAD"), check=True)


def bodiless():
    """The client for answers without a body, compiled when it is first needed."""
    source, program = (os.path.join(HERE, "bodiless.c"), os.path.join(ROOT, "var", "bench", "run", "bodiless"))
    if not os.path.exists(program):
        subprocess.run(["cc", "-O2", "-o", program, source], check=True)
    return program


def command_of(port, targets, seconds, connections, method, headers):
    """wrk, but for answers without a body, which it cannot read."""
    fields = [f"{name}: {value}" for name, value in headers.items()]
    if method == "HEAD" or "If-None-Match" in headers:
        return [bodiless(), str(port), targets, str(seconds), str(connections), method, *fields]
    command = ["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", "--timeout", "30s", "-s", os.path.join(HERE, "wrk.lua")]
    for field in fields:
        command += ["-H", field]
    return command + [f"http://127.0.0.1:{port}/", "--", targets]


class Connection:
    """A connection that is kept. Reads whole answers with as little work as Python can do."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray(4 << 20)

    def ask(self, target, method="GET", headers=None):
        """Returns status, header fields, body and the seconds to the first and to the last byte."""
        fields = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        began = time.perf_counter()
        self.socket.sendall(f"{method} {target} HTTP/1.1\r\nHost: bench\r\n{fields}\r\n".encode())
        view, filled, first, wanted = memoryview(self.buffer), 0, None, None
        while wanted is None or filled < wanted:
            count = self.socket.recv_into(view[filled:])
            if count == 0:
                raise ConnectionError(f"{target}: the connection was closed")
            first = first or time.perf_counter() - began
            filled += count
            if wanted is None:
                end = self.buffer.find(b"\r\n\r\n", 0, filled)
                if end >= 0:
                    status, answered = self.head(end)
                    length = 0 if method == "HEAD" or status in (204, 304) else int(answered.get("content-length", 0))
                    wanted = end + 4 + length
                    if wanted > len(self.buffer):
                        raise ValueError(f"{target}: an answer of {wanted} bytes")
        return status, answered, bytes(view[end + 4:filled]), first, time.perf_counter() - began

    def head(self, end):
        lines = bytes(self.buffer[:end]).decode("latin-1").split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        return int(lines[0].split()[1]), {name.lower(): value for name, value in fields.items()}

    def close(self):
        self.socket.close()


class Probe:
    """Asks for one path again and again on one connection, and keeps how long each answer took.

    It is a process of its own: threads of this one would wait for each other, and that would count as the server's time.
    """

    def __init__(self, port, path="/healthz"):
        processes = multiprocessing.get_context("spawn")
        self.end, other = processes.Pipe()
        self.process = processes.Process(target=ask_repeatedly, args=(port, path, other), daemon=True)
        self.times = []

    def start(self):
        self.process.start()
        self.end.recv()

    def finish(self, part=1.0):
        """The time that a part of the answers does not exceed, all of them by default, the median and their number; milliseconds."""
        self.end.send(None)
        self.times = self.end.recv()
        self.process.join()
        ordered = sorted(self.times)
        return ordered[int(part * (len(ordered) - 1))], ordered[len(ordered) // 2], len(ordered)


def ask_repeatedly(port, path, end):
    """Asks until something comes from the other end; tells it the milliseconds of each answer with status 200."""
    connection, times = Connection(port), []
    end.send(None)
    while not end.poll():
        status, _, _, _, seconds = connection.ask(path)
        if status == 200:
            times.append(seconds * 1000)
        time.sleep(0.003)
    connection.close()
    end.send(times)
