"""Browsers without a window, driven from here: each opens a page and evaluates scripts in it."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

from play.keys import KEYS


class Chromium:
    name = "Chromium"

    def __init__(self):
        from playwright.sync_api import sync_playwright
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--autoplay-policy=no-user-gesture-required", "--mute-audio"] + (
                ["--no-sandbox"] if os.getuid() == 0 else []))
        self.page = self.browser.new_page()

    def open(self, url):
        self.page.goto(url)

    def press(self, key):
        self.page.keyboard.press(key)

    def look(self, scheme, width, height):
        self.page.emulate_media(color_scheme=scheme)
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_timeout(300)

    def picture(self, path):
        self.page.screenshot(path=path)

    def evaluate(self, script):
        return self.page.evaluate(f"() => {{ {script} }}")

    def close(self):
        self.browser.close()
        self.playwright.stop()


class Firefox:
    """Firefox by its own protocol, Marionette: messages of JSON behind their length."""

    name = "Firefox"
    PORT = 2828

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="backcast-firefox-")
        with open(os.path.join(self.profile, "user.js"), "w") as file:
            file.write('user_pref("media.autoplay.default", 0);\nuser_pref("media.volume_scale", "0.0");\n')
        self.child = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", self.profile],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile})
        self.number, self.buffer = 0, b""
        self.socket = self.connected()
        self.read()
        self.call("WebDriver:NewSession", {})

    def connected(self):
        for _ in range(300):
            try:
                return socket.create_connection(("127.0.0.1", self.PORT), 60)
            except OSError:
                time.sleep(0.2)
        raise RuntimeError("Firefox does not listen")

    def read(self):
        while b":" not in self.buffer:
            self.receive()
        length, _, self.buffer = self.buffer.partition(b":")
        while len(self.buffer) < int(length):
            self.receive()
        message, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(message)

    def receive(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise RuntimeError("Firefox has ended")
        self.buffer += piece

    def call(self, command, parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self.read()
        if error:
            raise RuntimeError(f"{command}: {error.get('message')}")
        return result

    def open(self, url):
        self.call("WebDriver:Navigate", {"url": url})

    def press(self, key):
        steps = [{"type": kind, "value": KEYS.get(key, key)} for kind in ("keyDown", "keyUp")]
        self.call("WebDriver:PerformActions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def evaluate(self, script):
        return self.call("WebDriver:ExecuteScript", {"script": script, "args": []})["value"]

    def close(self):
        try:
            self.call("Marionette:Quit", {"flags": ["eForceQuit"]})
        except (OSError, RuntimeError):
            pass
        self.child.terminate()
        self.child.wait(20)
        shutil.rmtree(self.profile, ignore_errors=True)
