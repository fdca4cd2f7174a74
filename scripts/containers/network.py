"""A bridge between the containers, and their names; the proof stands at the bridge's own address."""

import subprocess

PREFIX = "10.11.12"


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Network:
    def __init__(self, names):
        self.addresses = {name: f"{PREFIX}.{number}" for number, name in enumerate(names, start=2)}
        ip("link", "set", "lo", "up")
        ip("link", "add", "bridge", "type", "bridge")
        ip("address", "add", f"{PREFIX}.1/24", "dev", "bridge")
        ip("link", "set", "bridge", "up")

    def hosts(self):
        lines = [f"{address} {name}\n" for name, address in self.addresses.items()]
        return "".join(["127.0.0.1 localhost\n", *lines])

    @staticmethod
    def path(name):
        return f"/run/netns/{name}"

    def join(self, name):
        number = self.addresses[name].rpartition(".")[2]
        outer = f"port{number}"
        ip("netns", "add", name)
        ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("link", "set", outer, "master", "bridge", "up")
        ip("-n", name, "link", "set", "lo", "up")
        ip("-n", name, "address", "add", f"{self.addresses[name]}/24", "dev", "eth0")
        ip("-n", name, "link", "set", "eth0", "up")

    def leave(self, name):
        ip("link", "delete", f"port{self.addresses[name].rpartition('.')[2]}")
        ip("netns", "delete", name)
