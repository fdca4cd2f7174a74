"""Services of a file, started in the order of what they wait for, and stopped in the opposite one."""

import contextlib
import sys
import time

from container import Container
from image import image
from network import Network


class Stack:
    def __init__(self, services, folder):
        self.folder = folder
        self.containers = {}
        network = Network(services)
        self.make = lambda service: Container(
            service, image(service.image), network, folder / service.name, folder / "volumes")
        self.services = services
        self.network = network

    def start(self, name):
        """Starts a service after those that it waits for, unless it runs."""
        if name in self.containers:
            return
        for needed in self.services[name].waits_for:
            self.start(needed)
            waited = self.containers[needed].wait_until_healthy()
            print(f"      {needed}: healthy after {waited:.1f} s, then {name}", flush=True)
        self.containers[name] = self.make(self.services[name])
        self.containers[name].start()

    def start_all(self):
        for name in self.services:
            self.start(name)

    def address(self, name):
        return self.network.addresses[name]

    def stop_all(self):
        """Exit statuses by name."""
        statuses = {}
        while self.containers:
            name = list(self.containers)[-1]
            statuses[name] = self.containers[name].stop()
            del self.containers[name]
        return statuses


@contextlib.contextmanager
def last_words_on_error(stack):
    """What went wrong stands in the containers' own words."""
    try:
        yield
    except Exception:
        for name, container in stack.containers.items():
            print(f"--- {name}\n{container.last_words}", file=sys.stderr)
        raise


def wait_until(what, limit_seconds, happened):
    """What `happened` gives, once that is true."""
    end = time.monotonic() + limit_seconds
    while not (found := happened()):
        if time.monotonic() > end:
            raise ValueError(f"{what} did not come in {limit_seconds} s")
        time.sleep(0.5)
    return found


def proven(text):
    print(f"  ok  {text}", flush=True)


def require(holds, text):
    if not holds:
        raise ValueError(f"not so: {text}")
    proven(text)
