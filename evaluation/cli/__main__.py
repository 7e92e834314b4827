"""Lets ``python -m evaluation.cli`` be the command line."""

import sys

from evaluation.cli.main import main

sys.exit(main())
