"""``python -I -B -m evaluation.launcher``, and what the archive starts: see program.py."""

from evaluation.launcher.program import main

if __name__ == "__main__":
    main()
