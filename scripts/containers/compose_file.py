"""Reads docker/compose.yaml as far as the proof carries it out; a key that it does not know is an error."""

import re
from pathlib import Path

import yaml

from image import seconds
from service import Health, Service, Volume

KNOWN_KEYS = {
    "build", "cap_drop", "command", "depends_on", "entrypoint", "environment", "healthcheck", "image",
    "ports", "read_only", "restart", "security_opt", "stop_grace_period", "tmpfs", "volumes",
}


class ComposeFile:
    def __init__(self, path, variables):
        text = interpolated(Path(path).read_text(encoding="utf-8"), variables)
        whole = yaml.safe_load(text)
        refuse_unknown(path, whole, {"name", "services", "volumes"})
        self.volumes = set(whole["volumes"])
        self.services = {name: self.service(name, keys) for name, keys in whole["services"].items()}

    def service(self, name, keys):
        refuse_unknown(name, keys, KNOWN_KEYS)
        options = keys.get("security_opt", [])
        if set(options) - {"no-new-privileges:true"} or set(keys.get("cap_drop", [])) - {"ALL"}:
            raise ValueError(f"{name}: the proof knows no other security_opt and cap_drop")
        return Service(
            name=name,
            image=image_of(keys),
            environment={key: str(value) for key, value in keys.get("environment", {}).items()},
            entrypoint=keys.get("entrypoint"),
            command=keys.get("command"),
            volumes=[self.volume(text) for text in keys.get("volumes", [])],
            scratch=keys.get("tmpfs", []),
            is_read_only=keys.get("read_only", False),
            drops_capabilities="cap_drop" in keys,
            gains_no_privileges=bool(options),
            health=health_of(keys.get("healthcheck")),
            waits_for=healthy_before(name, keys.get("depends_on", {})),
            stop_seconds=seconds(keys.get("stop_grace_period", "10s")),
        )

    def volume(self, text):
        name, _, target = text.partition(":")
        if name not in self.volumes:
            raise ValueError(f"there is no volume {name}")
        return Volume(name, target)


def interpolated(text, variables):
    """Compose's `$$`, `${NAME}` and `${NAME:-default}`."""

    def value(match):
        if match[0] == "$$":
            return "$"
        if match[1] is None:
            raise ValueError(f"a stray $ in: {text[match.start():].splitlines()[0]}")
        return variables.get(match[1]) or match[2] or ""

    return re.sub(r"\$\$|\$\{(\w+)(?::-([^}]*))?\}|\$", value, text)


def refuse_unknown(what, keys, known):
    if unknown := set(keys) - known:
        raise ValueError(f"{what}: {', '.join(sorted(unknown))} is not known to this proof")


def image_of(keys):
    """The stage of the Dockerfile (`-` is its last), or a foreign image's name."""
    if "build" not in keys:
        return keys["image"]
    if (keys["build"]["context"], keys["build"]["dockerfile"]) != ("..", "docker/Dockerfile"):
        raise ValueError("the proof has the images of docker/Dockerfile alone")
    return keys["build"].get("target", "-")


def health_of(keys):
    if keys is None:
        return None
    kind, *words = keys["test"]
    return Health(
        ["/bin/sh", "-c", *words] if kind == "CMD-SHELL" else words,
        seconds(keys["interval"]), keys["retries"], seconds(keys["timeout"]))


def healthy_before(name, conditions):
    if any(keys != {"condition": "service_healthy"} for keys in conditions.values()):
        raise ValueError(f"{name}: the proof waits for health alone")
    return list(conditions)
