"""`python -m vivavoce` is the command `viva`."""

from __future__ import annotations

import sys

from vivavoce.cli.main import viva

if __name__ == "__main__":
    sys.exit(viva())
