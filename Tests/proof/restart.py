"""A source without dates: the service is killed and started again, then the source restarts its numbering. No second
row appears and no time changes."""
import time

from stack import Stack, request, wait_for


def rows(stack):
    return {(line[0], line[1]): line[2] for line in
            stack.sql("SELECT feed_id, origin_number, start_us FROM segment ORDER BY start_us")}


def run(table, folder, seed):
    stack = Stack(folder)
    try:
        stack.start_database()
        stack.start_origin("replay", "--channels", "1", "--segment-seconds", "2", "--no-dates", "--bits-per-second",
                           "1000000")
        stack.start_service(BACKCAST_MAX_WINDOW="60")
        stack.add_channel("ch1", f"{stack.origin_base}/ch1/index.m3u8")
        wait_for("a first segment", 60, lambda: stack.status("ch1").get("live_edge"))
        time.sleep(15)
        before = rows(stack)
        stack.kill_service()
        time.sleep(4)
        stack.start_service(BACKCAST_MAX_WINDOW="60")
        time.sleep(15)
        show_same(table, stack, "the service restarted", before)
        before = rows(stack)
        request(f"{stack.origin_base}/control?fault=restart&channel=ch1", "POST")
        time.sleep(40)
        show_same(table, stack, "the source restarted", before)
        feeds = len({feed for feed, _ in rows(stack)})
        table.row("numberings after one restart of the source", "2", str(feeds), feeds == 2)
        show_cut(table, stack)
    finally:
        stack.stop()


def show_same(table, stack, what, before):
    after = rows(stack)
    changed = [key for key in before if after.get(key) != before[key]]
    starts = [int(start) for start in after.values()]
    table.row(f"{what}, without dates", "times unchanged, no second row, and it goes on",
              f"{len(changed)} changed, {len(starts) - len(set(starts))} doubled, {len(after) - len(before)} new",
              not changed and len(starts) == len(set(starts)) and len(after) > len(before))


def show_cut(table, stack):
    """An open window that begins longer ago than max_window is cut, and Backcast-Next says where."""
    first = min(int(start) for start in rows(stack).values()) // 1000
    answer = request(f"{stack.base}/live/ch1/index.m3u8?begintime={first}")
    following = answer.headers.get("Backcast-Next")
    table.row("an open window longer than max_window", "200, cut, Backcast-Next", f"{answer.status}, {following}",
              answer.status == 200 and following is not None and "#EXT-X-ENDLIST" in answer.text)
