#!/usr/bin/env python3
"""Rewrites manifests of Kubernetes for `podman kube play`, which knows neither StatefulSet nor Secret.

Usage: podman_manifests.py workload FILE…    the claims and Deployments of the files; a StatefulSet becomes a Deployment
       podman_manifests.py secret FILE       the values of a Secret as `podman secret create` takes them
"""

import base64
import json
import sys

import yaml


def documents(paths):
    for path in paths:
        with open(path) as file:
            yield from yaml.safe_load_all(file)


def deployment(stateful):
    """The claims that a StatefulSet makes for its first pod, and the Deployment of a pod with these claims."""
    name = stateful["metadata"]["name"]
    volumes = stateful["spec"]["template"]["spec"].setdefault("volumes", [])
    claims = stateful["spec"].pop("volumeClaimTemplates", [])
    for claim in claims:
        volume = claim["metadata"]["name"]
        claim.update(apiVersion="v1", kind="PersistentVolumeClaim", metadata={"name": f"{volume}-{name}-0"})
        volumes.append({"name": volume, "persistentVolumeClaim": {"claimName": claim["metadata"]["name"]}})
    return [*claims, {**stateful, "kind": "Deployment"}]


def workload(paths):
    found = []
    for document in documents(paths):
        if document["kind"] == "StatefulSet":
            found += deployment(document)
        elif document["kind"] in ("Deployment", "PersistentVolumeClaim"):
            found.append(document)
    return yaml.safe_dump_all(found)


def secret(path):
    (document,) = documents([path])
    return json.dumps({key: base64.b64encode(value.encode()).decode() for key, value in document["stringData"].items()})


if __name__ == "__main__":
    print(workload(sys.argv[2:]) if sys.argv[1] == "workload" else secret(sys.argv[2]))
