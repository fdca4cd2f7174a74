"""A service in namespaces of its own, with the user, rights, root and volumes of an engine's."""

import os
import shutil
import subprocess
import time
from pathlib import Path

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Docker's, which only matter to a process of root.
USUAL_CAPABILITIES = (
    "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+net_raw,"
    "+sys_chroot,+mknod,+audit_write,+setfcap")


def run(*words, **options):
    subprocess.run([str(word) for word in words], check=True, **options)


class Container:
    """The folder is in memory and holds root, layer and log; volumes outlive the container."""

    def __init__(self, service, image, network, folder, volumes):
        self.service, self.image = service, image
        self.network, self.volumes = network, volumes
        self.folder = Path(folder)
        self.root = self.folder / "root"
        self.log = self.folder / "log"
        self.process = None
        self.health = service.health or image.health

    def start(self):
        self.make_root()
        self.network.join(self.service.name)
        words = [
            "nsenter", f"--net={self.network.path(self.service.name)}",
            "unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child",
            "/bin/sh", "-euc", 'mount -t proc proc "$0/proc"; exec "$@"', str(self.root),
            *self.inside(self.words()),
        ]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment())

    def words(self):
        """As engines have it: an entrypoint of the service's own leaves out the image's command."""
        entrypoint, command = self.service.entrypoint, self.service.command
        if entrypoint is None:
            return self.image.entrypoint + (self.image.command if command is None else command)
        return entrypoint + (command or [])

    def inside(self, words):
        """A command in the root, as the user, in its folder."""
        user, _, group = self.user.partition(":")
        bounds = "-all" if self.service.drops_capabilities else USUAL_CAPABILITIES
        rights = [f"--bounding-set={bounds}", "--inh-caps=-all"]
        if self.service.gains_no_privileges:
            rights.append("--no-new-privs")
        return [
            "/usr/sbin/chroot", str(self.root),
            "setpriv", f"--reuid={user}", f"--regid={group}", *self.groups(), *rights,
            "/bin/sh", "-c", 'cd "$0" && exec "$@"', self.image.folder, *words,
        ]

    def groups(self):
        groups = {str(volume.group) for volume in self.service.volumes if volume.group is not None}
        return [f"--groups={','.join(sorted(groups))}"] if groups else ["--clear-groups"]

    def environment(self):
        own = {"PATH": PATH, "HOSTNAME": self.service.name, "HOME": "/"}
        return own | self.image.environment | self.service.environment

    # The root

    def make_root(self):
        upper, work = self.folder / "layer", self.folder / "work"
        for folder in (self.root, upper, work):
            folder.mkdir(parents=True)
        layers = f"lowerdir={self.image.root.resolve()},upperdir={upper},workdir={work}"
        run("mount", "-t", "overlay", "overlay", "-o", layers, self.root)
        self.write_etc()
        self.mount_devices()
        for target in self.service.scratch:
            self.mount_scratch(target)
        for volume in self.service.volumes:
            self.mount_volume(volume)
        if self.service.is_read_only:
            run("mount", "-o", "remount,bind,ro", self.root)

    def write_etc(self):
        hosts = self.root / "etc/hosts"
        hosts.unlink(missing_ok=True)
        hosts.write_text(self.network.hosts(), encoding="ascii")
        if account := self.image.account:
            name, _, user = account.split(":")[:3]
            path = self.root / "etc/passwd"
            accounts = [line.split(":") for line in path.read_text().splitlines()]
            others = [":".join(fields) for fields in accounts if fields[0] != name and fields[2] != user]
            path.write_text("\n".join([*others, account, ""]))

    def mount_devices(self):
        folder = self.root / "dev"
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
        for name in DEVICES:
            (folder / name).touch()
            run("mount", "--bind", f"/dev/{name}", folder / name)
        (folder / "shm").mkdir()
        run("mount", "-t", "tmpfs", "tmpfs", folder / "shm")
        (self.root / "proc").mkdir(exist_ok=True)

    def mount_scratch(self, target):
        place = self.root / target.lstrip("/")
        place.mkdir(parents=True, exist_ok=True)
        run("mount", "-t", "tmpfs", "-o", "mode=1777,nosuid,nodev,noexec", "tmpfs", place)

    def mount_volume(self, volume):
        """A new volume has the owner, the mode and the files that the image has at its place."""
        place, kept = self.root / volume.target.lstrip("/"), Path(self.volumes) / volume.name
        place.mkdir(parents=True, exist_ok=True)
        if not kept.exists():
            kept.mkdir(parents=True)
            self.fill(volume, place, kept)
        run("mount", "--bind", kept, place)

    def fill(self, volume, place, kept):
        if volume.group is not None:
            os.chown(kept, 0, volume.group)
            kept.chmod(0o2775)
        elif self.image.account:
            user, _, group = self.image.user.partition(":")
            os.chown(kept, int(user), int(group))
        else:
            run("cp", "--archive", "--no-target-directory", place, kept)

    # Its life

    @property
    def user(self):
        return self.service.user or self.image.user

    @property
    def first_process(self):
        """The program's own process: the first of its namespace, a child of `unshare`."""
        owner = self.process.pid
        children = Path(f"/proc/{owner}/task/{owner}/children").read_text().split()
        return int(children[0]) if children else None

    @property
    def last_words(self):
        return "".join(self.log.read_text(errors="replace").splitlines(keepends=True)[-8:])

    def is_healthy(self):
        target = self.first_process
        if target is None:
            return False
        words = [
            "nsenter", f"--target={target}", "--mount", "--net", "--pid", "--ipc",
            *self.inside(self.health.words)]
        try:
            return subprocess.run(
                words, env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, timeout=self.health.timeout, check=False).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def wait_until_healthy(self):
        """Seconds that it took."""
        started = time.monotonic()
        while not self.is_healthy():
            if self.process.poll() is not None:
                raise ValueError(f"{self.service.name} ended with {self.process.returncode}")
            if time.monotonic() - started > self.health.patience:
                raise ValueError(f"{self.service.name} is not healthy after {self.health.patience} s")
            time.sleep(min(self.health.interval, 1))
        return time.monotonic() - started

    def wait(self, seconds):
        """Its exit status."""
        return self.process.wait(timeout=seconds)

    def stop(self):
        """Ends it as an engine does, and gives its exit status; one that does not go in time is an error."""
        if self.process.poll() is None:
            os.kill(self.first_process, self.image.stop_signal)
        try:
            status = self.process.wait(timeout=self.service.stop_seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise ValueError(f"{self.service.name} does not end in {self.service.stop_seconds} s") from None
        self.network.leave(self.service.name)
        run("umount", "--recursive", self.root)
        shutil.rmtree(self.folder)
        return status
