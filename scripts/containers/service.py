"""What a compose file or a manifest asks of a container, as values."""

from dataclasses import dataclass, field


@dataclass
class Volume:
    name: str
    target: str
    # The group that Kubernetes gives the volume to; without, a new volume is what the image has there.
    group: int | None = None


@dataclass
class Health:
    words: list
    interval: float
    retries: int
    timeout: float
    start_period: float = 0

    @property
    def patience(self):
        """Seconds after which an engine would call the container unhealthy."""
        return self.start_period + self.retries * (self.interval + self.timeout)


@dataclass
class Service:
    name: str
    image: str
    environment: dict
    entrypoint: list | None = None
    command: list | None = None
    user: str | None = None
    volumes: list = field(default_factory=list)
    scratch: list = field(default_factory=list)
    is_read_only: bool = False
    drops_capabilities: bool = False
    gains_no_privileges: bool = False
    health: Health | None = None
    waits_for: list = field(default_factory=list)
    stop_seconds: float = 10
