"""Whether what a file asks for is in force in the program's own process, as the kernel tells it."""

from pathlib import Path

from stack import require

NO_CAPABILITIES = "0000000000000000"


def prove_hold(container):
    service, status = container.service, status_of(container.first_process)
    user = container.user.partition(":")[0]
    seen = {f"user {user}": status["Uid"].split() == [user] * 4 and status["CapEff"] == NO_CAPABILITIES}
    if service.drops_capabilities:
        seen["no capability to gain"] = status["CapBnd"] == NO_CAPABILITIES
    if service.gains_no_privileges:
        seen["no new privileges"] = status["NoNewPrivs"] == "1"
    if service.is_read_only:
        seen["a root that is read-only"] = "ro" in options_of(container.root, container.first_process)
    for what, holds in seen.items():
        if not holds:
            raise ValueError(f"{service.name} runs without {what}")
    require(bool(seen), f"{service.name} runs with {', '.join(seen)}")


def status_of(process):
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def options_of(root, process):
    """Options of the mount itself; the file system's are at the line's end (proc_pid_mountinfo(5))."""
    lines = [line.split() for line in Path(f"/proc/{process}/mountinfo").read_text().splitlines()]
    return next(line[5].split(",") for line in lines if line[4] == "/" or line[4] == str(root))
