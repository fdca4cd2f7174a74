#!/usr/bin/env python3
"""Reads the steps of a Dockerfile, for a proof without a container engine.

Usage: dockerfile_steps.py FILE STAGE
STAGE is a name of `FROM … AS name`, or `-` for the last stage. Prints a line per step: the instruction, a tab, and
its argument with continued lines joined. ENTRYPOINT and CMD in JSON form come as words that a shell can read.
An instruction that the proof cannot carry out is an error.
"""

import json
import re
import shlex
import sys

CARRIED_OUT = {"RUN", "COPY", "ENV", "USER", "WORKDIR", "ENTRYPOINT", "CMD", "HEALTHCHECK"}
NO_EFFECT_HERE = {"VOLUME", "EXPOSE", "LABEL", "STOPSIGNAL"}


def instructions(text):
    """Pairs of instruction and argument; comments are left out, also between continued lines."""
    parts = []
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            continue
        if line.rstrip().endswith("\\"):
            parts.append(line.rstrip()[:-1].strip())
            continue
        parts.append(line.strip())
        whole = " ".join(part for part in parts if part)
        parts = []
        if whole:
            name, _, argument = whole.partition(" ")
            yield name.upper(), argument.strip()
    if parts:
        raise ValueError("the last line is continued into nothing")


def stages(text):
    """A list of (name or None, base, steps)."""
    found = []
    for name, argument in instructions(text):
        if name == "FROM":
            match = re.fullmatch(r"(\S+)(?:\s+AS\s+(\S+))?", argument, re.IGNORECASE)
            if not match:
                raise ValueError(f"cannot read FROM {argument}")
            found.append((match[2], match[1], []))
        elif not found:
            raise ValueError(f"{name} before the first FROM")
        elif name in CARRIED_OUT:
            found[-1][2].append((name, argument))
        elif name not in NO_EFFECT_HERE:
            raise ValueError(f"{name} is not known to this proof")
    return found


def readable(name, argument):
    """The argument as one line for a shell."""
    if name in ("ENTRYPOINT", "CMD"):
        return shlex.join(json.loads(argument))
    if name == "HEALTHCHECK":
        _, _, command = argument.partition("CMD ")
        return command
    return argument


def main():
    path, wanted = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        found = stages(file.read())
    if wanted == "-":
        chosen = found[-1]
    else:
        chosen = next((stage for stage in found if stage[0] == wanted), None)
    if chosen is None:
        raise ValueError(f"there is no stage {wanted}")
    print(f"FROM\t{chosen[1]}")
    for name, argument in chosen[2]:
        print(f"{name}\t{readable(name, argument)}")


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError) as error:
        sys.exit(f"dockerfile_steps: {error}")
