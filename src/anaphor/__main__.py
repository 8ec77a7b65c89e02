"""`python -m anaphor`: the command line without a script on the path."""

import sys

from anaphor.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
