"""The frame numbers that the origin paints into its pictures, and the time of day that each frame belongs to."""
from .running import FRAMES_PER_SECOND

#: The origin repeats this many seconds.
MINUTE_SECONDS = 20
MINUTE_FRAMES = MINUTE_SECONDS * FRAMES_PER_SECOND
SEGMENT_SECONDS = 2
#: The origin leaves out the first segment that its encoder has made.
FIRST_FRAME = SEGMENT_SECONDS * FRAMES_PER_SECOND
#: Frames that a player's clock may be off by.
ALLOWED_FRAMES = 3
SQUARES = 20
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

    def judge(self, shown):
        """What to say of frames, each with its second in the media, and whether they are right from begin to end."""
        readable = [(seconds, frame) for seconds, frame in shown if frame is not None]
        if not readable:
            return "no frame with a number", False
        wrong = [seconds for seconds, frame in readable if self.off(seconds, frame) > ALLOWED_FRAMES]
        words = f"{len(readable) - len(wrong)} of {len(readable)} frames right"
        if wrong:
            words += f", the first wrong one at {wrong[0]:.2f} s"
        first, last = readable[0][0], readable[-1][0]
        words += f", from {first:.1f} to {last:.1f} s"
        return words, not wrong and first < 1 and last > self.end - 1 and len(readable) > self.end
