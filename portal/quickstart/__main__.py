"""``python -m portal.quickstart``: the whole product on this machine, in one command."""

import os
import sys

from portal.quickstart.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
