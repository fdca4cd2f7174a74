"""Writes the results of `make bench` and `make bench-ingest` as JSON, as docs/PERFORMANCE.md, and the first rows into the README."""
import datetime
import json
import os
import platform
import subprocess

from results import VERDICTS
from stack import ROOT

JSON = os.path.join(ROOT, "bench", "results.json")
RECORDING = os.path.join(ROOT, "bench", "ingest.json")
DOCUMENT = os.path.join(ROOT, "docs", "PERFORMANCE.md")
README = os.path.join(ROOT, "README.md")
MARKS = ("<!-- bench: begin -->", "<!-- bench: end -->")
FIRST_ROWS = ("healthz", "short", "short-gzip", "24h", "24h-gzip", "segment-1m", "cold-day", "memory")


def machine():
    with open("/proc/cpuinfo") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1]) // 1024
    return {"cores": os.cpu_count(), "model": models[0] if models else platform.machine(), "memory_mb": memory,
            "kernel": platform.release().split("-")[0]}


def version(command):
    """The first number in what a program says of itself."""
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    return next((word.split("/")[-1] for word in said.split() if word.split("/")[-1][:1].isdigit()), "")


def save(bench, load):
    """Writes what all rows have shown; `load` is that of the machine at the beginning and at the end."""
    result = {
        "date": datetime.date.today().isoformat(), "machine": machine(), "load": [round(each, 1) for each in load],
        "versions": {"nginx": version(["nginx", "-v"]), "PostgreSQL": version(["psql", "--version"]), "wrk": version(["wrk", "-v"])},
        "rounds": bench.rounds, "seconds_of_a_round": bench.seconds, "catalogue": bench.size, "rows": bench.results.rows}
    write_json(JSON, result)
    write_documents(result)


def save_recording(size, load, rows):
    """Writes what recording has shown: rows of claim, goal, what was seen, and verdict."""
    write_json(RECORDING, {
        "date": datetime.date.today().isoformat(), "machine": machine(), "load": [round(each, 1) for each in load],
        "versions": {"ffmpeg": version(["ffmpeg", "-version"]), "PostgreSQL": version(["psql", "--version"])}, "size": size,
        "rows": [dict(zip(("what", "goal", "seen", "met"), (*row[:3], row[3] == "ok"))) for row in rows]})
    write_documents(read_json(JSON))


def write_json(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump(value, file, indent=1, ensure_ascii=False)
        file.write("\n")


def read_json(path):
    with open(path) as file:
        return json.load(file)


def name_of(about):
    return f"{about['model']}, {about['cores']} cores, {about['memory_mb'] // 1024} GB of memory"


def recording():
    """What `make bench-ingest` has shown last."""
    result = read_json(RECORDING)
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    rows = [(row["what"], row["goal"], row["seen"], VERDICTS[row["met"]]) for row in result["rows"]]
    return (f"{result['size']}, on {result['date']}: {name_of(result['machine'])}; {versions}. The load of the machine was "
            f"{result['load'][0]:g} at the beginning.\n\n" + "\n".join(table(rows, ("what", "goal", "seen", "verdict"))))


def table(rows, head):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def figure(figures, name, field, form):
    return form.format(figures[name][field]) if name in figures else "–"


def write_documents(result):
    goals = [(row["what"], row["goal"], row["seen"], VERDICTS[row["met"]]) for row in result["rows"] if row["goal"]]
    pairs = [(row["what"],) + tuple(
        f"{figure(row, 'backcast', field, form)} / {figure(row, 'nginx', field, form)}"
        for field, form in (("per_second", "{:,.0f}"), ("cpu_us", "{:.1f}"), ("cpu_s_per_gb", "{:.2f}"), ("p50", "{:.2f}"),
                            ("p99", "{:.2f}"))) for row in result["rows"] if "backcast" in row]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "document.txt")) as file:
        frame = file.read()
    named = name_of(result["machine"])
    with open(DOCUMENT, "w") as file:
        file.write(frame.format(
            machine=named, date=result["date"], versions=", ".join(f"{name} {number}" for name, number in result["versions"].items()),
            load=" and ".join(f"{each:g}" for each in result["load"]),
            rounds=result["rounds"], seconds=result["seconds_of_a_round"], catalogue=result["catalogue"],
            recording=recording(),
            goals="\n".join(table(goals, ("what", "goal", "seen", "verdict"))),
            pairs="\n".join(table(pairs, (
                "what", "requests a second", "CPU µs", "CPU s/GB", "median ms", "99 % ms")))))
    first = [(row["what"], row["seen"], row["goal"], VERDICTS[row["met"]])
             for row in result["rows"] if row["key"] in FIRST_ROWS]
    write_first_rows(f"On {named}:\n\n" + "\n".join(table(first, ("processor time of an answer", "seen", "goal", "verdict"))))


def write_first_rows(text):
    """Puts the first rows between the two marks of the README."""
    with open(README) as file:
        readme = file.read()
    before, rest = readme.split(MARKS[0], 1)
    with open(README, "w") as file:
        file.write(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.split(MARKS[1], 1)[1]}")
