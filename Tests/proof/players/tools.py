"""What the players part takes from PyPI, in a folder of its own: each player stands or is missing by itself."""
import glob
import os
import re
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
#: One wheel at most; a slow network is not a missing player.
INSTALL_SECONDS = 300


def requirements():
    with open(os.path.join(HERE, "requirements.txt")) as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


class Tools:
    """A virtual environment with the Python players, and hls.js out of its wheel."""

    def __init__(self, folder):
        self.folder = folder
        self.missing = {}
        subprocess.run([sys.executable, "-m", "venv", self.path("venv")], check=True, timeout=INSTALL_SECONDS)
        for requirement in requirements():
            self.install(requirement)

    @classmethod
    def of(cls, folder):
        """The wheels that are in a folder already."""
        tools = cls.__new__(cls)
        tools.folder, tools.missing = folder, {}
        return tools

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def program(self, name):
        return self.path("venv", "bin", name)

    def install(self, requirement):
        name = requirement.split("==")[0]
        how = ["download", "--no-deps", "-d", self.path("wheels")] if name == "gradio" else ["install"]
        try:
            done = subprocess.run(
                [self.program("python"), "-m", "pip", "-q", *how, requirement], timeout=INSTALL_SECONDS,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            words = "" if done.returncode == 0 else (done.stdout.strip().splitlines() or ["pip failed"])[-1]
        except subprocess.TimeoutExpired:
            words = f"pip did not end within {INSTALL_SECONDS} s"
        if words:
            self.missing[name] = words

    def hls_js(self):
        """The source of hls.js with its class exported as `Hls`, which the wheel's chunk keeps to itself."""
        [wheel] = glob.glob(self.path("wheels", "gradio-*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            [name] = [name for name in archive.namelist() if re.search(r"/frontend/assets/hls-[^/]*\.js$", name)]
            text = archive.read(name).decode()
        [own] = re.findall(r"[,;\s](\w+)=class \w+\{static get version\(\)", text)
        return f"{text}\nexport {{{own} as Hls}};\n"
