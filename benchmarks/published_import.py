"""How long the published results take to be imported into an empty site on SQLite; at most 10 s are asked for.

    PYTHONPATH=. .venv/bin/python benchmarks/published_import.py FOLDER

FOLDER holds the files of a publication as ``manage.py import_published`` takes them.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
MOST_SECONDS = 10.0


def manage(home: str, *words: str) -> tuple[float, str]:
    """Give the seconds and what was said."""
    began = time.monotonic()
    done = subprocess.run(  # noqa: S603 - our own command
        (sys.executable, str(REPOSITORY / "manage.py"), *words),
        env={**os.environ, "PTXBOARD_HOME": home, "PTXBOARD_DATABASE_URL": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"manage.py {words[0]}: {done.stderr[-2000:]}")
    return time.monotonic() - began, done.stdout.strip()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as home:
        manage(home, "migrate")
        seconds, said = manage(home, "import_published", str(options.folder))
        again, _ = manage(home, "import_published", str(options.folder))
    print(said)
    met = seconds <= MOST_SECONDS
    print(
        f"first {seconds:.1f} s, again {again:.1f} s (at most {MOST_SECONDS:.0f}): {'met' if met else 'MISSED'}"
    )
    return int(not met)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
