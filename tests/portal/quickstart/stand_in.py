"""Stands for any service: ``stand_in.py FOLDER NAME`` writes that it has started and does what ``NAME.does`` says."""

import signal
import subprocess
import sys
import time
from pathlib import Path

LONG_SECONDS = 600
_CHILD = "import time; time.sleep(600)"


def main(folder: Path, name: str) -> int:
    does = folder / f"{name}.does"
    words = does.read_text().split() if does.exists() else []
    if "hold" in words:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "fork" in words:  # one child in its group, and one that has left it
        for leaves in (False, True):
            subprocess.Popen([sys.executable, "-I", "-S", "-c", _CHILD], start_new_session=leaves)
    with (folder / "started").open("a") as started:
        started.write(f"{name}\n")
    if "crash" in words:
        sys.stderr.write(f"{name} has \x1b[31mno luck\n")
        return 7
    if "wait" in words:
        time.sleep(LONG_SECONDS)
    (folder / f"{name}.ready").touch()
    if "end" in words:
        return 0
    time.sleep(LONG_SECONDS)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
