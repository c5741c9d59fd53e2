"""Viva's own folder is made once, and kept out of version control."""

from __future__ import annotations

from vivavoce.core.folders import make


def test_a_new_folder_of_vivas_own_is_kept_out_of_version_control(tmp_path):
    make(tmp_path / ".viva" / "stdin")
    assert (tmp_path / ".viva" / "stdin").is_dir()
    assert (tmp_path / ".viva" / ".gitignore").read_text() == "*\n"


def test_one_that_is_there_stays_as_it_is(tmp_path):
    (tmp_path / ".viva").mkdir()
    make(tmp_path / ".viva")
    make(tmp_path / ".viva" / "stdin")
    make(tmp_path / "other")
    assert not list(tmp_path.rglob(".gitignore"))
