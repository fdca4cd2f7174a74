"""Players in a browser: a page plays the URL and reports to the relay."""
import os
import shutil
import time
import uuid

from . import times
from .programs import Program
from .running import FRAMES_PER_SECOND, Missing, Played, end, found, start

RATE = 2
LONGEST_SECONDS = 120
#: Browsers decode sound a little ahead. Sound that ends sooner than this before the picture does is out of step.
SOUND_SECONDS = 1.2
#: A picture that is decoded when the page seeks may still be shown.
ON_ITS_WAY_SECONDS = 0.5


class Browser(Program):
    """A page in a browser without a window; a fresh profile each time."""

    with_library = None
    relay = None

    def play(self, url):
        return self.watch(url, LONGEST_SECONDS, RATE, None)

    def follow(self, url, seconds):
        return self.watch(url, seconds * 3, 1, seconds)

    def seek(self, url, begin, length):
        """Each picture that was shown behind the place where the page went, but not one that was on its way."""
        said = self.asked(url, LONGEST_SECONDS, None, {"rate": 1, "seek": begin, "marks": 1})
        played = self.judged(said, LONGEST_SECONDS, None)
        sought = said.get("sought") or {}
        behind = said.get("marks", [])[sought.get("marks", 0):]
        while behind and behind[0][0] <= sought["from"] + ON_ITS_WAY_SECONDS:
            behind.pop(0)
        video = played.video - sought.get("frames", 0) / FRAMES_PER_SECOND
        whole = abs(video - (length - begin)) <= self.near + self.joint
        fault = played.fault or ("" if whole else f"{video:.1f} s of pictures")
        if abs((sought.get("at") or 0) - begin) >= self.near:
            fault = fault or f"the browser went to {sought.get('at')}"
        return [(seconds, times.number(squares)) for seconds, squares in behind], fault

    def thumbnails(self, url, track):
        """What the browser made of a thumbnail track, once as many pictures are shown as it has cues."""
        return self.asked(url, LONGEST_SECONDS, None, {"rate": 1, "thumbnails": track}, self.has_thumbnails)

    def shown(self, url):
        """Each picture that was shown: its second in the media and the number in it."""
        said = self.asked(url, LONGEST_SECONDS, None, {"rate": 1, "marks": 1})
        fault = self.judged(said, LONGEST_SECONDS, None).fault
        return [(seconds, times.number(squares)) for seconds, squares in said.get("marks", [])], fault

    @staticmethod
    def has_thumbnails(said):
        seen = said.get("thumbnails", {})
        return seen.get("cues", 0) > 0 and seen["shown"] + seen["failed"] == seen["cues"]

    def watch(self, url, longest, rate, enough):
        return self.judged(self.asked(url, longest, enough, {"rate": rate}), longest, enough)

    def asked(self, url, longest, enough, options, is_enough=None):
        """The last report of a page that was opened with these options."""
        if self.with_library and "gradio" in self.tools.missing:
            raise Missing(f"hls.js: {self.tools.missing['gradio']}")
        report = uuid.uuid4().hex
        options = {**options, **({"with": self.with_library} if self.with_library else {})}
        profile = os.path.join(self.folder, f"profile-{report}")
        os.makedirs(profile)
        with open(os.path.join(self.folder, f"{self.label}.log".replace(" ", "-")), "ab") as log:
            child = start(self.command(profile, self.relay.page(url, report, **options)), stdout=log, stderr=log,
                          env={**os.environ, "HOME": profile})
        try:
            return self.wait(child, report, longest, enough, is_enough)
        finally:
            end(child)
            shutil.rmtree(profile, ignore_errors=True)

    def wait(self, child, report, longest, enough, is_enough):
        until = time.time() + longest
        while time.time() < until and child.poll() is None:
            time.sleep(0.2)
            said = self.relay.reports.get(report, {})
            if said.get("ended") or said.get("error") or enough and self.seconds(said) >= enough:
                break
            if is_enough and is_enough(said):
                break
        return self.relay.reports.get(report, {})

    def judged(self, said, longest, enough):
        done = said.get("ended") or enough and self.seconds(said) >= enough
        fault = said.get("error") or ("" if done else f"not at the end after {longest} s: {said or 'no report'}")
        sound = said.get("soundUntil")
        if not fault and sound is not None and sound < said["position"] - SOUND_SECONDS:
            fault = f"sound out of step: it ends at {sound:.1f} of {said['position']:.1f} s"
        return Played(self.seconds(said), None, fault)

    @staticmethod
    def seconds(said):
        """Pictures, not the position: a live list may begin anywhere."""
        return said.get("frames", 0) / FRAMES_PER_SECOND


class Chromium(Browser):
    label = "Chromium"

    def versioned(self):
        return "Chromium " + self.version_of([found("chromium"), "--version"], r"Chromium (\d+)")

    def command(self, profile, page):
        flags = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio", "--no-first-run",
                 "--autoplay-policy=no-user-gesture-required", "--disable-background-networking", "--disable-sync",
                 "--disable-component-update", "--disable-default-apps"]
        return [found("chromium"), *flags, *(["--no-sandbox"] if os.getuid() == 0 else []),
                f"--user-data-dir={profile}", page]


class HlsJsInChromium(Chromium):
    label = "hls.js in Chromium"
    with_library = "hls"
    skips = True

    def versioned(self):
        return "hls.js in " + super().versioned()


class HlsJsInFirefox(Browser):
    label = "hls.js in Firefox"
    with_library = "hls"
    skips = True
    settings = {
        "media.autoplay.default": "0", "media.autoplay.blocking_policy": "0", "browser.aboutwelcome.enabled": "false",
        "browser.shell.checkDefaultBrowser": "false", "datareporting.policy.dataSubmissionEnabled": "false",
        "network.captive-portal-service.enabled": "false", "network.connectivity-service.enabled": "false",
        "app.normandy.enabled": "false", "toolkit.telemetry.enabled": "false",
    }

    def versioned(self):
        return "hls.js in Firefox " + self.version_of([found("firefox-esr"), "--version"], r"Firefox (\d+)")

    def command(self, profile, page):
        with open(os.path.join(profile, "user.js"), "w") as file:
            file.writelines(f'user_pref("{name}", {value});\n' for name, value in self.settings.items())
        return [found("firefox-esr"), "--headless", "--no-remote", "--profile", profile, page]
