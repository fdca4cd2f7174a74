"""The page of `backcast play` by the keyboard alone."""

#: Names of keys, and what WebDriver calls them.
KEYS = {"Tab": "\uE004", "Enter": "\uE007", "Escape": "\uE00C", "Space": " "}
#: More stops than the page has with one task.
MOST_STOPS = 20

FOCUS = """const e = document.activeElement, s = getComputedStyle(e);
return {what: e.dataset.do || e.value && e.tagName === 'BUTTON' && e.value || e.id || e.tagName,
        isSeen: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2};"""


class Keyboard:
    def __init__(self, proof):
        self.proof, self.browser, self.unseen = proof, proof.browser, []

    def focus(self):
        return self.browser.evaluate(FOCUS)["what"]

    def go(self, what):
        """Presses Tab until something has the focus."""
        for _ in range(MOST_STOPS):
            seen = self.browser.evaluate(FOCUS)
            if not seen["isSeen"] and seen["what"] != "BODY":
                self.unseen.append(seen["what"])
            if seen["what"] == what:
                return
            self.browser.press("Tab")
        raise RuntimeError(f"Tab does not lead to {what}")

    def step(self, name, holds, limit=10):
        self.proof.step(f"keys: {name}", holds, limit)

    def run(self):
        press, show, task = self.browser.press, self.browser.evaluate, self.proof.task
        press("/")
        self.step("/ leads to the field", lambda: self.focus() == "url")
        for letter in f"{self.proof.origin.base}/index.m3u8":
            press(letter)
        press("Enter")
        self.step("Enter adds the URL", lambda: task()["state"] == "downloading")
        self.step("it can be played", lambda: show(
            "return !document.querySelector('#tasks .actions [data-do=play]').hidden;"))
        self.go("pause")
        press("Enter")
        self.step("Enter on Pause pauses, and Resume has the focus",
                  lambda: task()["state"] == "paused" and self.focus() == "resume")
        press("Space")
        self.step("Space on Resume resumes, and Pause has the focus",
                  lambda: task()["state"] == "downloading" and self.focus() == "pause")
        self.go("remove")
        press("Enter")
        self.step("Remove asks, with Keep chosen", lambda: self.focus() == "keep")
        press("Escape")
        self.step("Escape keeps the task, and Remove has the focus",
                  lambda: task()["state"] == "downloading" and self.focus() == "remove")
        press("/")
        self.go("play")
        press("Enter")
        self.step("Enter on Play plays", lambda: self.proof.video("v.currentTime > 0.05"))
        press("Space")
        self.step("Space pauses the player", lambda: self.proof.video("v.paused"))
        press("Escape")
        self.step("Escape closes it, and Play has the focus",
                  lambda: not show("return document.getElementById('player').open;") and self.focus() == "play")
        self.go("remove")
        press("Enter")
        press("Tab")
        press("Enter")
        self.step("Remove removes, and the field has the focus",
                  lambda: task()["state"] == "removed" and self.focus() == "url")
        self.step("the focus was seen at each stop", lambda: not self.unseen)
