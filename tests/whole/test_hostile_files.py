"""Files made to do harm are answered with an error that names them, and with nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "_hostile.py"


def test_every_hostile_file_is_a_clear_error():
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--files", "100", "--huge", "0", "--seed", "7"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "100 clear errors" in done.stdout
