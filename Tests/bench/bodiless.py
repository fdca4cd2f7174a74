"""Asks on many connections for answers without a body, HEAD or 304: wrk waits for the body that their Content-Length states.

Arguments: port, file of targets, seconds, connections, method, header fields. Prints the results as one line of JSON, with the names
that wrk.lua uses.
"""
import json
import random
import selectors
import socket
import sys
import time


def ask(port, targets, seconds, count, method, fields):
    chooser, times, statuses, size = selectors.DefaultSelector(), [], {}, 0

    def send(connection):
        target = random.choice(targets)
        began[connection] = time.perf_counter()
        connection.send(f"{method} {target} HTTP/1.1\r\nHost: bench\r\n{fields}\r\n".encode())

    began, received, broken = {}, {}, 0
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", port))
        received[connection] = b""
        chooser.register(connection, selectors.EVENT_READ)
        send(connection)
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        for key, _ in chooser.select(0.1):
            connection = key.fileobj
            data = connection.recv(65536)
            if not data:
                broken += 1
                chooser.unregister(connection)
                connection.close()
                continue
            size += len(data)
            received[connection] += data
            if received[connection].endswith(b"\r\n\r\n"):
                times.append((time.perf_counter() - began[connection]) * 1000)
                status = int(received[connection][9:12])
                statuses[status] = statuses.get(status, 0) + 1
                received[connection] = b""
                send(connection)
    for connection in received:
        connection.close()
    return times, statuses, size, broken, time.perf_counter() - start


def main():
    port, path, seconds, count = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    with open(path) as file:
        targets = file.read().split()
    fields = "".join(field + "\r\n" for field in sys.argv[6:])
    times, statuses, size, broken, passed = ask(port, targets, seconds, count, sys.argv[5], fields)
    times.sort()
    print(json.dumps({
        "requests": len(times), "seconds": passed, "bytes": size, "broken": broken,
        "refused": sum(number for status, number in statuses.items() if status >= 400), "statuses": statuses,
        "p50": times[len(times) // 2] if times else 0, "p99": times[int(len(times) * 0.99)] if times else 0,
        "worst": times[-1] if times else 0}))


if __name__ == "__main__":
    main()
