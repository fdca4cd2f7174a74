"""Rules of the admin API that relate two fields, which a JSON Schema cannot: applied to valid requests only.

An id in the body of PUT and PATCH is that of the path; `from` lies before `to`, by at most 31 days. Beside them a
repair: the coverage phase of schemathesis 4.32 sends the entity tag "0" as 0, which its own pattern does not allow.
"""

from datetime import datetime, timedelta, timezone

import schemathesis

LONGEST = timedelta(days=31)


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    body, path = case.body, case.path_parameters or {}
    if isinstance(body, dict) and "id" in body and "channel" in path:
        body["id"] = path["channel"]
    for name in ("If-Match", "If-None-Match"):
        if (case.headers or {}).get(name) == "0":
            case.headers[name] = '"0"'
    if case.path.endswith("/timeline"):
        order(case.query)


def order(query):
    """Swaps bounds that are the wrong way round and brings bounds that are too far apart together."""
    now = datetime.now(timezone.utc)
    begin = instant(query["from"]) if "from" in query else None
    end = instant(query["to"]) if "to" in query else None
    if begin is None:
        return
    if begin >= (end or now):
        query["from"], end = rfc3339(end or now - timedelta(days=1)), begin + timedelta(seconds=1)
        begin = instant(query["from"])
        query["to"] = rfc3339(end)
    if (end or now) - begin > LONGEST:
        query["to"] = rfc3339(begin + timedelta(days=1))


def rfc3339(time):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def instant(text):
    """Reads the forms of a time in URLs."""
    text = str(text)
    if not text.replace(".", "", 1).isdigit():
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    digits = len(text.split(".")[0])
    if digits in (14, 17):
        return datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(tzinfo=timezone.utc)
    scale = 1 if digits <= 11 else 1_000 if digits <= 13 else 1_000_000
    return datetime.fromtimestamp(float(text) / scale, timezone.utc)
