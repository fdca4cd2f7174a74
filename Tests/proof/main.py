"""What Backcast promises and its Swift tests cannot show. Prints a table and fails on a miss.

usage: python3 Tests/proof/main.py [part ...]     parts: api players dialects kodi load
PROOF_SEED and PROOF_LOAD_SECONDS change the seed and the length of the load.
"""
import os
import random
import shutil
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import api  # noqa: E402
import dialects  # noqa: E402
import kodi  # noqa: E402
import load  # noqa: E402
import players  # noqa: E402
from table import Table  # noqa: E402

PARTS = {"api": api.run, "players": players.run, "dialects": dialects.run, "kodi": kodi.run, "load": load.run}


def main():
    seed = int(os.environ.get("PROOF_SEED", random.SystemRandom().randrange(10**6)))
    print(f"seed {seed}", flush=True)
    table = Table()
    for name in sys.argv[1:] or PARTS:
        folder = tempfile.mkdtemp(prefix=f"backcast-proof-{name}-")
        os.chmod(folder, 0o755)
        try:
            PARTS[name](table, folder, seed)
            shutil.rmtree(folder, ignore_errors=True)
        except Exception as error:  # a part that breaks is a miss, and the others still run
            traceback.print_exc()
            table.row(f"{name}: the part itself", "runs to its end", f"{error}; see {folder}", False)
    sys.exit(0 if table.close() else 1)


if __name__ == "__main__":
    main()
