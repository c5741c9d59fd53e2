"""Files made to do harm are answered with an error that names them, and with nothing else."""

from __future__ import annotations

from .conftest import script


def test_every_hostile_file_is_a_clear_error():
    done = script("_hostile.py", "--files", "100", "--huge", "0", "--seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "100 clear errors" in done.stdout
