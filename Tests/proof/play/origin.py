"""An origin with a bound on the bytes per second of all its answers together, and a switch."""
import http.server
import os
import threading
import time


class Origin:
    def __init__(self, folder, bytes_per_second):
        self.folder, self.bytes_per_second = folder, bytes_per_second
        self.lock, self.free = threading.Lock(), 0.0
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                origin.answer(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def pause(self, count):
        """What a late wake-up has lost is given later, but no more than a tenth of a second."""
        with self.lock:
            self.free = max(self.free, time.monotonic() - 0.1) + count / self.bytes_per_second
            wait = self.free - time.monotonic()
        time.sleep(max(0, wait))

    def answer(self, request):
        path = os.path.join(self.folder, os.path.basename(request.path.split("?")[0]))
        try:
            with open(path, "rb") as file:
                body = file.read()
        except OSError:
            request.send_error(404)
            return
        total, status, first = len(body), 200, 0
        asked = request.headers.get("Range", "")
        if asked.startswith("bytes="):
            first, _, last = asked[6:].partition("-")
            first, status = int(first), 206
            body = body[first:int(last) + 1 if last else total]
        request.send_response(status)
        request.send_header("Content-Length", str(len(body)))
        request.send_header("ETag", f'"{total}"')
        if status == 206:
            request.send_header("Content-Range", f"bytes {first}-{first + len(body) - 1}/{total}")
        request.end_headers()
        try:
            for offset in range(0, len(body), 8192):
                self.pause(min(8192, len(body) - offset))
                request.wfile.write(body[offset:offset + 8192])
        except OSError:
            request.close_connection = True
