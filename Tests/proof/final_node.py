"""A node whose every answer is a final window that caches may keep for a second: its port, and how often it was asked.

usage: python3 final_node.py PORT
"""
import http.server
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked = 0

    def do_GET(self):
        Handler.asked += self.path != "/healthz"
        body = f"{self.server.server_port} {Handler.asked}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "public, max-age=1")
        self.send_header("Backcast-Final", "true")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
