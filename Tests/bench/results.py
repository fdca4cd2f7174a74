"""The rows as they come: on the terminal, and kept for what is written of them."""
import statistics

from rates import median

VERDICTS = {True: "met", False: "missed", None: ""}


class Results:
    def __init__(self):
        self.rows = []

    def add(self, key, what, goal, seen, holds, **figures):
        row = {"key": key, "what": what, "goal": goal, "seen": seen, "met": holds, **figures}
        self.rows.append(row)
        print(f"{VERDICTS[holds]:6}  {what}: {seen}" + (f" (goal: {goal})" if goal else ""), flush=True)

    def add_rate(self, key, what, goal, rounds):
        """A row of several rounds for each server. The ratio is that of pairs, so that a slower minute counts for both."""
        figures = {name: {field: round(median(each, field), 3) for field in ("per_second", "cpu_us", "cpu_s_per_gb", "p50", "p99")}
                   for name, each in rounds.items()}
        own, ratio = figures["backcast"], None
        seen = f"{own['cpu_us']:.1f} µs"
        if "nginx" in figures:
            pairs = zip(rounds["backcast"], rounds["nginx"])
            ratio = round(statistics.median(one["cpu_us"] / max(other["cpu_us"], 0.01) for one, other in pairs), 2)
            seen += f", {ratio} × nginx ({figures['nginx']['cpu_us']:.1f} µs)"
        self.add(key, what, goal.text(), seen, goal.holds(own["cpu_us"], ratio), ratio=ratio, **figures)

    def all_met(self):
        missed = sum(row["met"] is False for row in self.rows)
        met = sum(row["met"] is True for row in self.rows)
        print(f"\n{met} goals met, {missed} missed")
        return missed == 0
