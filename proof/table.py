"""The table of what was shown: each row a claim, its goal, what was seen, and whether it holds."""


class Table:
    def __init__(self):
        self.rows = []

    def row(self, what, goal, seen, holds):
        self.rows.append((what, goal, seen, holds))
        print(f"{'ok  ' if holds else 'MISS'} {what}: {seen} (goal: {goal})", flush=True)

    def close(self):
        print()
        for what, goal, seen, holds in self.rows:
            print(f"| {'ok' if holds else '**miss**'} | {what} | {goal} | {seen} |")
        missed = sum(not row[3] for row in self.rows)
        print(f"\n{len(self.rows) - missed} passed, {missed} failed")
        return missed == 0
