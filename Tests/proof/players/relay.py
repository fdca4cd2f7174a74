"""A small server beside the service: the page with its reports, and the service's lists with each
EXT-X-DISCONTINUITY written twice."""
import http.server
import json
import os
import threading
import urllib.parse

from stack import request

HERE = os.path.dirname(os.path.abspath(__file__))


class Relay:
    """Listens on loopback until it is closed."""

    def __init__(self, service, hls_js):
        self.service, self.hls_js = service, hls_js
        self.reports = {}
        self.server = Server(("127.0.0.1", 0), type("Handler", (Handler,), {"relay": self}))
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def doubled(self, url):
        """The same window, with each EXT-X-DISCONTINUITY doubled."""
        return self.base + "/doubled" + url.removeprefix(self.service)

    def page(self, url, report, **options):
        query = urllib.parse.urlencode({"url": url, "report": report, **options})
        return f"{self.base}/page.html?{query}"


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Says nothing: players hang up when they have what they want."""


class Handler(http.server.BaseHTTPRequestHandler):
    relay = None
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.split("?")[0]
        if path.startswith("/doubled/"):
            self.answer_doubled(self.path.removeprefix("/doubled"))
        elif path == "/page.html":
            with open(os.path.join(HERE, "page.html"), "rb") as file:
                self.answer(200, "text/html", file.read())
        elif path == "/hls.js":
            self.answer(200, "text/javascript", self.relay.hls_js.encode())
        else:
            self.answer(404, "text/plain", b"")

    def do_POST(self):
        body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 262_144))
        self.relay.reports[self.path.split("/")[-1]] = json.loads(body)
        self.answer(204, "text/plain", b"")

    def answer_doubled(self, path):
        got = request(self.relay.service + path)
        body = got.body
        if path.split("?")[0].endswith(".m3u8"):
            body = body.replace(b"#EXT-X-DISCONTINUITY\n", b"#EXT-X-DISCONTINUITY\n" * 2)
        self.answer(got.status, got.headers.get("Content-Type", ""), body)

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Says nothing: the reports are what counts."""
