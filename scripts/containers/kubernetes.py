"""Holds deploy/kubernetes against itself and the schemas of Kubernetes, and starts its pods as it says.

Started by scripts/prove-deployment.sh in namespaces of its own, with a folder that is in memory.
"""

import sys
import time
from pathlib import Path

from hold import prove_hold
from kubernetes_file import Manifests, container_of
from stack import Stack, last_words_on_error, proven, require, wait_until
from viewer import get

try:
    import kubernetes_validate
except ImportError:
    kubernetes_validate = None


def prove_schemas(manifests):
    if kubernetes_validate is None:
        print("  --  schemas are not looked at: python3 has no kubernetes_validate (PyPI)")
        return
    version = kubernetes_validate.latest_version()
    for resource in manifests.resources:
        try:
            kubernetes_validate.validate(resource, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            raise ValueError(f"{resource['kind']} {resource['metadata']['name']}: {error.message}") from None
    proven(f"{len(manifests.resources)} resources keep to the schemas of Kubernetes {version}")


class Pod:
    """The ports and probes of a running pod."""

    def __init__(self, stack, manifests, name):
        workload = manifests.selected_by(manifests.of_kind("Service")[name])
        self.container = container_of(workload)
        self.annotations = workload["spec"]["template"]["metadata"]["annotations"]
        self.address = stack.address(name)

    def url(self, port, path):
        numbers = {entry["name"]: entry["containerPort"] for entry in self.container["ports"]}
        return f"http://{self.address}:{numbers.get(port, port)}{path}"

    def probe(self, kind):
        """The address that a probe asks, and how many seconds it has until the kubelet gives up."""
        probe = self.container[kind]
        asked = probe["httpGet"]
        patience = probe.get("failureThreshold", 3) * probe.get("periodSeconds", 10)
        return self.url(asked["port"], asked["path"]), patience


def prove_probes(pod):
    for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
        url, patience = pod.probe(kind)
        started = time.monotonic()
        wait_until(f"{kind} of {url}", patience, lambda: get(url)[0] == 200)
        proven(f"{kind}: {url} answers after {time.monotonic() - started:.1f} of {patience} s")


def prove_ports(pod, token):
    marks = pod.annotations
    metrics = pod.url(int(marks["prometheus.io/port"]), marks["prometheus.io/path"])
    require(get(metrics)[0] == 200, f"the annotations lead to the metrics: {metrics}")
    channels = pod.url("admin", "/api/v1/channels")
    require(get(channels, token)[0] == 200, "the admin API takes the secret's token")
    require(get(channels)[0] == 401, "the admin API takes no request without it")
    require(get(pod.url("http", "/api/v1/channels"), token)[0] == 404, "viewers' port has no admin API")


def prove_volumes(folder):
    """The program writes where the volumes are, with the group that they were given."""
    for name in ("archive", "state"):
        place = folder / "volumes" / f"backcast-{name}"
        require(any(place.iterdir()), f"{name}: written by the pod into a volume of root and its group")


def main(folder):
    manifests = Manifests("deploy/kubernetes")
    manifests.check()
    proven("kustomization, selectors, ports, claims, secret keys and pod security fit together")
    prove_schemas(manifests)
    # All pods of a cluster start at once: the program first, and its database when it is already waiting.
    stack = Stack({name: manifests.service(name) for name in ("backcast", "postgres")}, folder)
    with last_words_on_error(stack):
        stack.start_all()
        stack.containers["postgres"].wait_until_healthy()
        pod = Pod(stack, manifests, "backcast")
        prove_probes(pod)
        prove_hold(stack.containers["backcast"])
        prove_ports(pod, manifests.secrets()["backcast", "admin-token"])
        prove_volumes(folder)
        statuses = stack.stop_all()
        require(statuses["backcast"] == 0, f"pods stop in time: {statuses}")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except (ValueError, OSError) as error:
        sys.exit(f"kubernetes: {error}")
