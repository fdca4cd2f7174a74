"""The images: roots that prove-dockerfile.sh has made, and this machine's PostgreSQL for the official one."""

import json
import re
import shlex
import signal
import sys
from dataclasses import dataclass, field
from pathlib import Path

from service import Health

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from dockerfile_steps import stages  # noqa: E402

DOCKERFILE = Path("docker/Dockerfile")
ROOTS = Path("var/proof/images")
POSTGRES_USER = "999:999"  # of the official image

# What the official image's entrypoint makes of its variables, in short.
POSTGRES_START = r"""
programs=$(dirname "$(ls /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)")
PATH=$programs:$PATH
data=${PGDATA:-/var/lib/postgresql/data}
serve() { exec postgres -D "$data" -c unix_socket_directories=/tmp "$@"; }
[ -s "$data/PG_VERSION" ] && serve -c 'listen_addresses=*'
printf %s "$POSTGRES_PASSWORD" >/tmp/password
initdb -D "$data" -U "$POSTGRES_USER" --pwfile /tmp/password --auth=scram-sha-256 -E UTF8 --locale=C --no-sync
echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
printf 'CREATE DATABASE "%s";\n' "$POSTGRES_DB" | postgres --single -D "$data" postgres
serve -c 'listen_addresses=*'
"""


@dataclass
class Image:
    root: Path
    user: str = "0:0"
    folder: str = "/"
    environment: dict = field(default_factory=dict)
    entrypoint: list = field(default_factory=list)
    command: list = field(default_factory=list)
    health: Health | None = None
    stop_signal: int = signal.SIGTERM
    # An account that the image has and the root may have not, as a line of /etc/passwd.
    account: str | None = None


def image(name):
    if name.startswith("postgres:"):
        return Image(
            Path("/"), user=POSTGRES_USER, entrypoint=["/bin/sh", "-euc", POSTGRES_START],
            stop_signal=signal.SIGINT,
            account=f"postgres:x:{POSTGRES_USER}::/var/lib/postgresql:/bin/sh")
    return of_dockerfile(name)


def of_dockerfile(stage):
    found = stages(DOCKERFILE.read_text(encoding="utf-8"))
    steps = found[-1][2] if stage == "-" else next(steps for name, _, steps in found if name == stage)
    made = Image(ROOTS / ("backcast" if stage == "-" else stage))
    if not made.root.is_dir():
        raise ValueError(f"{made.root} is not there: scripts/prove-dockerfile.sh makes it")
    for instruction, argument in steps:
        take(made, instruction, argument)
    return made


def take(made, instruction, argument):
    match instruction:
        case "USER":
            made.user = argument
        case "WORKDIR":
            made.folder = argument
        case "ENV":
            made.environment |= dict(pair.split("=", 1) for pair in shlex.split(argument))
        case "ENTRYPOINT":
            made.entrypoint = json.loads(argument)
        case "CMD":
            made.command = json.loads(argument)
        case "HEALTHCHECK":
            options, _, line = argument.partition("CMD ")
            given = dict(re.findall(r"--(\S+)=(\S+)", options))
            made.health = Health(
                ["/bin/sh", "-c", line], seconds(given.get("interval", "30s")), int(given.get("retries", 3)),
                seconds(given.get("timeout", "30s")), seconds(given.get("start-period", "0s")))


def seconds(text):
    """A duration such as 2s or 1m, as Docker writes it."""
    number, unit = re.fullmatch(r"(\d+)(s|m)", text).groups()
    return int(number) * {"s": 1, "m": 60}[unit]
