"""What the origin published, from the file that it writes before it lists anything."""
import datetime
import json


class Entry:
    def __init__(self, line):
        fields = json.loads(line)
        self.channel, self.rendition = fields["channel"], fields["rendition"]
        self.duration, self.listed_at = fields["duration"], fields["listed_at"]
        self.sha256 = fields["sha256"]
        date = fields["program_date_time"].replace("Z", "+00:00")
        self.start = datetime.datetime.fromisoformat(date).timestamp()

    @property
    def end(self):
        return self.start + self.duration


def read(path):
    with open(path) as file:
        return [Entry(line) for line in file if line.endswith("\n")]


def by_rendition(entries):
    grouped = {}
    for entry in entries:
        grouped.setdefault((entry.channel, entry.rendition), []).append(entry)
    return grouped
