"""The admin API held against its own OpenAPI document by schemathesis, with a fixed seed."""
import os
import re
import subprocess
import sys

from stack import TOKEN, Stack

REQUIREMENT = "schemathesis==4.32.5"
HERE = os.path.dirname(os.path.abspath(__file__))
#: Generated requests per operation and phase.
EXAMPLES = 50
INSTALL_SECONDS = 300
RUN_SECONDS = 900


def run(table, folder, seed):
    program = install(folder)
    stack = Stack(os.path.join(folder, "stack"))
    try:
        stack.start_database()
        stack.start_service()
        show(table, folder, stack, seed, program)
    finally:
        stack.stop()


def install(folder):
    venv = os.path.join(folder, "venv")
    subprocess.run([sys.executable, "-m", "venv", venv], check=True, timeout=INSTALL_SECONDS)
    subprocess.run([os.path.join(venv, "bin", "pip"), "-q", "install", REQUIREMENT], check=True,
                   timeout=INSTALL_SECONDS)
    return os.path.join(venv, "bin", "schemathesis")


def show(table, folder, stack, seed, program):
    log = os.path.join(folder, "schemathesis.log")
    with open(log, "w") as file:  # its working folder is the scratch one, for it keeps its examples there
        status = subprocess.run(
            [os.path.join(HERE, "schemathesis.sh"), stack.base, TOKEN, "-n", str(EXAMPLES), "--seed",
             str(seed)],
            cwd=folder, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=RUN_SECONDS,
            env={**os.environ, "SCHEMATHESIS": program}).returncode
    with open(log, errors="replace") as file:
        printed = file.read()
    if status:
        print(printed[-6000:])
    cases = re.search(r"(\d[\d,]*) generated", printed)
    counted = f"{cases.group(1) if cases else 'no'} requests, status {status}, seed {seed}, -n {EXAMPLES}"
    holds = status == 0 and cases is not None
    table.row(f"admin API against its OpenAPI document, {REQUIREMENT}", "no failure", counted, holds)
