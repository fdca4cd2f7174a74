"""Bad input: each a clear error that names the field, and nothing stored."""
import time

from stack import Stack, request, wait_for


def run(table, folder, seed):
    stack = Stack(folder)
    try:
        stack.start_database()
        stack.start_origin("replay", "--channels", "1", "--segment-seconds", "2", "--bits-per-second", "1000000")
        stack.start_service()
        show_bodies(table, stack)
        show_sources(table, stack)
        show_windows(table, stack)
    finally:
        stack.stop()


def problem(answer, status, word):
    kind = answer.headers.get("Content-Type", "")
    return answer.status == status and kind.startswith("application/problem+json") and word in answer.text


def show_bodies(table, stack):
    url = f"{stack.origin_base}/ch1/index.m3u8"
    good = {"id": "good", "source_url": url}
    cases = [
        ("a source URL of another scheme", {**good, "source_url": "ftp://host/x.m3u8"}, 400, "source_url"),
        ("an id with /", {**good, "id": "a/b"}, 400, "id"), ("an id of ..", {**good, "id": ".."}, 400, "id"),
        ("an id in upper case", {**good, "id": "CCTV"}, 400, "id"),
        ("an id of 64 characters", {**good, "id": "a" * 64}, 400, "id"),
        ("an unknown field", {**good, "sauce": 1}, 400, "sauce"),
        ("JSON of 2 MB", {**good, "title": "x" * 2_000_000}, 413, "")]
    for what, body, status, word in cases:
        answer = stack.admin("/channels", "POST", body)
        table.row(what, f"{status} naming {word or 'the limit'}", f"{answer.status}", problem(answer, status, word))
    count = stack.sql("SELECT count(*) FROM channel")[0][0]
    table.row("channels after bad bodies", "0", count, count == "0")


def show_sources(table, stack):
    cases = {"page": "/static/webpage.html", "list": "/static/iptv.m3u", "nothing": "/static/absent", "empty": "/static/empty"}
    for channel, path in cases.items():
        stack.add_channel(channel, stack.origin_base + path)
    time.sleep(8)
    for channel, path in cases.items():
        status = stack.status(channel)
        table.row(f"a source that is {path}", "waiting, with words", f"{status['state']}: {status.get('detail')}",
                  status["state"] == "waiting" and bool(status.get("detail")))
    count = stack.sql("SELECT count(*) FROM segment")[0][0]
    table.row("rows from bad sources", "0", count, count == "0")


def show_windows(table, stack):
    stack.add_channel("good", f"{stack.origin_base}/ch1/index.m3u8")
    wait_for("a first segment", 60, lambda: stack.status("good").get("live_edge"))
    now = int(time.time() * 1000)
    cases = [
        ("begintime=abc", "begintime=abc", 400, "begintime"),
        ("begin after end", f"begintime={now}&endtime={now - 5000}", 400, "endtime"),
        ("a window of 10 days", f"begintime={now - 864_000_000}&duration=864000", 400, "max_window"),
        ("a window with nothing in it", f"begintime={now - 7_200_000}&duration=60", 404, "available")]
    for what, query, status, word in cases:
        answer = request(f"{stack.base}/live/good/index.m3u8?{query}")
        table.row(what, f"{status} naming {word}", f"{answer.status}", problem(answer, status, word))
