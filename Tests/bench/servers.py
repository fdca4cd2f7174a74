"""The two servers that are compared, and what each has used of the processor."""
import os
import pwd
import signal

import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "proof"))

from ingest import children, processor_seconds  # noqa: E402
from stack import BINARIES, TOKEN, Process, free_port, request, wait_for  # noqa: E402

NGINX = """\
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log warn; worker_processes {workers}; {user}
events {{ worker_connections 16384; }}
http {{
    access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; keepalive_timeout 75;
    open_file_cache max=20000 inactive=600s; open_file_cache_valid 600s; gzip_static on;
    types {{ application/vnd.apple.mpegurl m3u8; video/mp2t ts; }}
    client_body_temp_path {folder}/nginx-body; proxy_temp_path {folder}/nginx-proxy; fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi; scgi_temp_path {folder}/nginx-scgi;
    server {{
        listen 127.0.0.1:{port} backlog=1024 reuseport;
        location = /healthz {{ return 200 "ok\\n"; }}
        location /files/ {{ alias {folder}/files/; }}
        location /live/ {{ alias {archive}/; }}
    }}
}}
"""


class Server:
    """A server that runs as a child; starting it waits until it answers."""

    name = ""

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, free_port(), None

    def spawn(self, arguments, environment=None):
        self.process = Process(arguments, os.path.join(self.folder, f"{self.name}.out"), environment)
        wait_for(self.name, 30, self.answers)

    def answers(self):
        if not self.process.is_running():
            raise RuntimeError(f"{self.name} ended: see {self.folder}/{self.name}.out")
        try:
            return request(f"http://127.0.0.1:{self.port}{self.ready}", timeout=2).status == 200
        except OSError:
            return False

    def stop(self):
        if self.process:
            self.process.end()
            self.process = None

    def processor_seconds(self):
        pid = self.process.pid
        return sum(processor_seconds(each) for each in [pid, *children(pid)])

    def memory(self):
        """Resident now, and the most so far, kB."""
        with open(f"/proc/{self.process.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file if ":" in line)
        return int(fields["VmRSS"].split()[0]), int(fields["VmHWM"].split()[0])


class Backcast(Server):
    """The serving role, or the one that records too, of whose nodes there is one only; the channels are not recorded."""

    ready = "/readyz"

    def __init__(self, folder, database, archive, role="serve", secret=None):
        super().__init__(folder)
        self.name, self.role, self.database, self.archive = f"backcast-{role}", role, database, archive
        self.secret = {"BACKCAST_PLAYBACK_SECRET": secret} if secret else {}
        self.name += "-tokens" if secret else ""

    def start(self):
        self.spawn([os.path.join(BINARIES, "backcast"), self.role], {
            **self.secret,
            "BACKCAST_LISTEN": f"127.0.0.1:{self.port}", "BACKCAST_DATABASE_URL": self.database,
            "BACKCAST_ARCHIVE": self.archive, "BACKCAST_ADMIN_TOKEN": TOKEN, "BACKCAST_LOG_LEVEL": "warning",
            "BACKCAST_STATE": os.path.join(self.folder, f"state-{self.name}"), "BACKCAST_MIN_FREE": "1Mi",
            "BACKCAST_TRUSTED_PROXIES": "127.0.0.0/8"})

    def restart(self):
        """With empty caches, on the same port."""
        self.process.end(signal.SIGKILL)
        self.start()


class Nginx(Server):
    """Debian's, with finished files of the same answers below `files`, and with the archive."""

    name, ready = "nginx", "/healthz"

    def __init__(self, folder, archive):
        super().__init__(folder)
        self.archive = archive

    def start(self):
        user = f"user {pwd.getpwuid(0).pw_name};" if os.getuid() == 0 else ""
        path = os.path.join(self.folder, "nginx.conf")
        with open(path, "w") as file:
            file.write(NGINX.format(
                folder=self.folder, port=self.port, archive=self.archive, user=user, workers=os.cpu_count()))
        self.spawn(["nginx", "-p", self.folder, "-c", path])
