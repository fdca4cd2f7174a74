"""What the page of `backcast play` looks like: both colour schemes, at the width of a screen and of a phone.

Checks what can be measured, and keeps a picture of each for a person to look at.
"""
import os

SCHEMES = ["light", "dark"]
SIZES = {"screen": (1280, 800), "phone": (360, 740)}
#: The least contrast of text (WCAG 2.2, 1.4.3).
CONTRAST = 4.5
PICTURES = "var/proof/play"

#: The text whose contrast with what is behind it is the least, with that contrast.
WORST = """
const channels = (text) => {
  const found = text.match(/[\\d.]+/g).map(Number);
  const scale = text.startsWith('color(') ? 255 : 1;
  return {rgb: found.slice(0, 3).map((value) => value * scale), alpha: found.length > 3 ? found[3] : 1};
};
const over = (top, below) => top.rgb.map((value, i) => value * top.alpha + below[i] * (1 - top.alpha));
const light = (rgb) => {
  const [r, g, b] = rgb.map((value) => value / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  if (!element) return [255, 255, 255];
  return over(channels(getComputedStyle(element).backgroundColor), behind(element.parentElement));
};
const top = document.querySelector('dialog[open]') ?? document.body;
let worst = {contrast: 21, text: ''};
const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  const text = walker.currentNode.textContent.trim();
  const isShown = text && element.checkVisibility() && !element.closest('[disabled], style, script, template');
  if (!isShown || element.closest('dialog:not([open])')) continue;
  const back = behind(element);
  const [a, b] = [light(over(channels(getComputedStyle(element).color), back)), light(back)];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < worst.contrast) worst = {contrast, text};
}
return worst;
"""

OVERFLOW = """
return [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility()
  && element.getBoundingClientRect().right > innerWidth + 0.5).map((element) => element.id || element.tagName);
"""


def run(proof, title):
    """Looks at the page as it is now; only a browser whose driver can change its look does."""
    browser = proof.browser
    if not hasattr(browser, "look"):
        return
    os.makedirs(PICTURES, exist_ok=True)
    backgrounds = set()
    for scheme in SCHEMES:
        for size, (width, height) in SIZES.items():
            browser.look(scheme, width, height)
            browser.picture(os.path.join(PICTURES, f"{title}-{scheme}-{size}.png"))
            name = f"looks: {title}, {scheme}, {width} pixels"
            worst, beyond = browser.evaluate(WORST), browser.evaluate(OVERFLOW)
            proof.row(f"{name}: contrast of {worst['text'][:30]!r}", f"{worst['contrast']:.1f}", f"{CONTRAST}",
                      worst["contrast"] >= CONTRAST)
            proof.row(f"{name}: beyond the edge", ", ".join(beyond) or "nothing", "nothing", not beyond)
        backgrounds.add(browser.evaluate("return getComputedStyle(document.body).backgroundColor;"))
    proof.row(f"looks: {title}: backgrounds", str(len(backgrounds)), str(len(SCHEMES)), len(backgrounds) == len(SCHEMES))
    browser.look("light", *SIZES["screen"])
