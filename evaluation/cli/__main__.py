import sys

from evaluation.cli.main import main

sys.exit(main())
