"""The frame numbers that the origin paints into its pictures, and the time of day that each frame belongs to."""
from .running import FRAMES_PER_SECOND
from .strip import SQUARES

#: The origin repeats this many seconds.
MINUTE_SECONDS = 20
MINUTE_FRAMES = MINUTE_SECONDS * FRAMES_PER_SECOND
SEGMENT_SECONDS = 2
#: The origin leaves out the first segment that its encoder has made.
FIRST_FRAME = SEGMENT_SECONDS * FRAMES_PER_SECOND
#: Frames that a player's clock may be off by.
ALLOWED_FRAMES = 3
#: The share of the frames that a player has to show: pages drop some of them on a busy machine.
SHARE = 0.8
WHITE = 128


def number(squares):
    """The number in the brightness of the squares along the lower edge; None if there is none."""
    if len(squares) != SQUARES or squares[0] < WHITE or squares[1] >= WHITE:
        return None
    return sum(1 << bit for bit, value in enumerate(squares[2:14]) if value >= WHITE)


class Clock:
    """Which frame belongs to which second of a window's media."""

    def __init__(self, listed, began):
        """`listed` is a media playlist, `began` the time of day at which the origin began its first repetition."""
        self.spans, end, date = [], 0.0, None
        for segment in listed.segments:
            date = segment.date if segment.date is not None else date
            self.spans.append((end, date - began))
            end, date = end + segment.duration, date + segment.duration
        self.end = end

    def off(self, seconds, shown):
        """How many frames the shown one is away from the right one; at a joint it may belong to either side."""
        frame = 1 / FRAMES_PER_SECOND
        return min(self.off_at(seconds - frame, shown), self.off_at(seconds + frame, shown))

    def off_at(self, seconds, shown):
        begin, played = max((span for span in self.spans if span[0] <= seconds + 1e-6), default=self.spans[0])
        right = FIRST_FRAME + (played + seconds - begin) * FRAMES_PER_SECOND
        half = MINUTE_FRAMES / 2
        return abs((shown - right + half) % MINUTE_FRAMES - half)

    def placed(self, numbers, begin, near, leap):
        """Seconds for the frames of a player that tells none. The first frame begins a segment near the begin, as key
        frames do; each other one is the next, or one of those up to `leap` seconds later, or else wrong."""
        frame, placed = 1 / FRAMES_PER_SECOND, []
        places = [second for second, _ in self.spans if abs(second - begin) <= near] or [begin]
        for number_shown in numbers:
            place = min(places, key=lambda second: self.off_at(second, number_shown))
            if placed and self.off_at(place, number_shown) > ALLOWED_FRAMES:
                place = placed[-1][0] + frame
            placed.append((place, number_shown))
            places = [place + index * frame for index in range(int(leap / frame + 2.5))]
        return placed

    def judge(self, shown, begin=0.0, near=1.0, leap=0.0):
        """What to say of frames, each with its second in the media or None, and whether they are right from `begin` to
        the end, give or take `near` seconds; one that tells no seconds may leave out `leap` seconds in one piece."""
        readable = [(seconds, frame) for seconds, frame in shown if frame is not None]
        if not readable:
            return "no frame with a number", False
        if any(seconds is None for seconds, _ in readable):
            readable = self.placed([frame for _, frame in readable], begin, near, leap)
        wrong = [(seconds, off) for seconds, frame in readable if (off := self.off(seconds, frame)) > ALLOWED_FRAMES]
        words = f"{len(readable) - len(wrong)} of {len(readable)} frames right"
        if wrong:
            words += f", the first wrong one at {wrong[0][0]:.2f} s by {wrong[0][1]:.0f} frames"
        first, last = readable[0][0], readable[-1][0]
        words += f", from {first:.1f} to {last:.1f} s"
        enough = len(readable) >= SHARE * (self.end - begin - near) * FRAMES_PER_SECOND
        return words, not wrong and abs(first - begin) <= near and last > self.end - near and enough
