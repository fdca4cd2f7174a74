"""The table of what was shown: each row a claim, its goal, what was seen, and whether it holds."""


class Table:
    def __init__(self):
        self.rows = []

    def row(self, what, goal, seen, holds, limit=""):
        """Adds a claim; `limit` says why it cannot hold whatever we do, and then it is told and no miss."""
        verdict = "ok" if holds else "limit" if limit else "**miss**"
        if verdict == "limit":
            seen = f"{seen}; {limit}"
        self.rows.append((what, goal, seen, verdict))
        print(f"{verdict.strip('*')} {what}: {seen} (goal: {goal})", flush=True)

    def close(self):
        print()
        for what, goal, seen, verdict in self.rows:
            print(f"| {verdict} | {what} | {goal} | {seen} |")
        verdicts = [row[3] for row in self.rows]
        missed, limits = verdicts.count("**miss**"), verdicts.count("limit")
        print(f"\n{len(verdicts) - missed - limits} passed, {missed} failed, {limits} known limits of players")
        return missed == 0
