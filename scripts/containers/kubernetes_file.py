"""Reads deploy/kubernetes: its parts have to fit together, and its pods become services."""

import base64
from pathlib import Path

import yaml

from service import Health, Service, Volume

RESTRICTED = "restricted"


class Manifests:
    def __init__(self, folder):
        self.folder = Path(folder)
        listed = yaml.safe_load((self.folder / "kustomization.yaml").read_text())
        self.images = {image["name"] for image in listed["images"]}
        self.files = [*listed["resources"], "secret.example.yaml"]
        texts = [(self.folder / name).read_text() for name in self.files]
        self.resources = [resource for text in texts for resource in yaml.safe_load_all(text)]
        there = {path.name for path in self.folder.glob("*.yaml")}
        require_none("not in kustomization.yaml", there - {*self.files, "kustomization.yaml"})

    def of_kind(self, kind):
        return {resource["metadata"]["name"]: resource for resource in self.resources if resource["kind"] == kind}

    @property
    def workloads(self):
        return self.of_kind("Deployment") | self.of_kind("StatefulSet")

    def secrets(self):
        """Values by secret and key."""
        found = {}
        for name, secret in self.of_kind("Secret").items():
            coded = secret.get("data", {})
            found |= {(name, key): value for key, value in secret.get("stringData", {}).items()}
            found |= {(name, key): base64.b64decode(value).decode() for key, value in coded.items()}
        return found

    # What has to fit together

    def check(self):
        self.check_selectors()
        self.check_ingress()
        self.check_secrets()
        namespace, = self.of_kind("Namespace").values()
        if namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == RESTRICTED:
            for name, workload in self.workloads.items():
                require_none(f"{name}: not allowed by pod security {RESTRICTED}", unrestricted(workload))

    def check_selectors(self):
        for name, service in self.of_kind("Service").items():
            entries = container_of(self.selected_by(service))["ports"]
            ports = {value for entry in entries for value in (entry["name"], entry["containerPort"])}
            wanted = {port.get("targetPort", port["port"]) for port in service["spec"]["ports"]}
            require_none(f"service {name}: ports that the container has not", wanted - ports)
        for name, workload in self.workloads.items():
            labels = workload["spec"]["template"]["metadata"]["labels"]
            chosen = workload["spec"]["selector"]["matchLabels"]
            require_none(f"{name} does not select its own pods", chosen.items() - labels.items())

    def selected_by(self, service):
        chosen = service["spec"]["selector"].items()
        found = [
            workload for workload in self.workloads.values()
            if chosen <= workload["spec"]["template"]["metadata"]["labels"].items()]
        if len(found) != 1:
            raise ValueError(f"service {service['metadata']['name']} selects {len(found)} workloads")
        return found[0]

    def check_ingress(self):
        services = self.of_kind("Service")
        for ingress in self.of_kind("Ingress").values():
            for path in (path for rule in ingress["spec"]["rules"] for path in rule["http"]["paths"]):
                wanted = path["backend"]["service"]
                ports = {port["name"] for port in services[wanted["name"]]["spec"]["ports"]}
                require_none(f"ingress {path['path']}: ports", {wanted["port"]["name"]} - ports)

    def check_secrets(self):
        known = self.secrets()
        used = {
            (reference["name"], reference["key"])
            for workload in self.workloads.values() for entry in container_of(workload)["env"]
            if (reference := entry.get("valueFrom", {}).get("secretKeyRef"))}
        require_none("keys that no secret has", used - set(known))
        require_none("keys of secrets that nobody reads", set(known) - used)

    # Pods as services

    def service(self, name):
        """The pod behind a service's name."""
        workload = self.selected_by(self.of_kind("Service")[name])
        pod, container = workload["spec"]["template"]["spec"], container_of(workload)
        account, limits = pod["securityContext"], container["securityContext"]
        return Service(
            name=name,
            image="-" if container["image"] in self.images else container["image"],
            environment=self.environment(container),
            entrypoint=container.get("command"),
            command=container.get("args"),
            user=f"{account['runAsUser']}:{account['runAsGroup']}",
            volumes=[
                Volume(f"{name}-{mount['name']}", mount["mountPath"], account["fsGroup"])
                for mount in self.known_mounts(workload)],
            is_read_only=limits.get("readOnlyRootFilesystem", False),
            drops_capabilities=limits["capabilities"]["drop"] == ["ALL"],
            gains_no_privileges=limits["allowPrivilegeEscalation"] is False,
            health=command_health(container["readinessProbe"]),
            stop_seconds=pod["terminationGracePeriodSeconds"],
        )

    def environment(self, container):
        known = self.secrets()
        return {
            entry["name"]: entry["value"] if "value" in entry
            else known[tuple(entry["valueFrom"]["secretKeyRef"][key] for key in ("name", "key"))]
            for entry in container["env"]}

    def known_mounts(self, workload):
        spec = workload["spec"]
        volumes = spec["template"]["spec"].get("volumes", [])
        names = {volume["name"] for volume in volumes}
        names |= {claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", [])}
        claims = {claim["claimName"] for volume in volumes if (claim := volume.get("persistentVolumeClaim"))}
        require_none("claims that nobody makes", claims - set(self.of_kind("PersistentVolumeClaim")))
        mounts = container_of(workload)["volumeMounts"]
        require_none("mounts without a volume", {mount["name"] for mount in mounts} - names)
        return mounts


def container_of(workload):
    container, = workload["spec"]["template"]["spec"]["containers"]
    return container


def unrestricted(workload):
    """What the pod security standard `restricted` asks for and the pod does not say."""
    pod, container = workload["spec"]["template"]["spec"], container_of(workload)
    account, limits = pod["securityContext"], container["securityContext"]
    asked = {
        "runAsNonRoot": account.get("runAsNonRoot") is True and account.get("runAsUser") != 0,
        "seccompProfile": account.get("seccompProfile", {}).get("type") == "RuntimeDefault",
        "allowPrivilegeEscalation": limits.get("allowPrivilegeEscalation") is False,
        "capabilities": limits.get("capabilities", {}).get("drop") == ["ALL"],
        "volumes": not any("hostPath" in volume for volume in pod.get("volumes", [])),
    }
    return {name for name, holds in asked.items() if not holds}


def command_health(probe):
    if "exec" not in probe:
        return None
    return Health(
        probe["exec"]["command"], probe.get("periodSeconds", 10), probe.get("failureThreshold", 3),
        probe.get("timeoutSeconds", 1), start_period=probe.get("initialDelaySeconds", 0))


def require_none(what, found):
    if found:
        raise ValueError(f"{what}: {', '.join(sorted(map(str, found)))}")
