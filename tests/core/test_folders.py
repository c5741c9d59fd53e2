"""Viva's own folder is made once, and kept out of version control."""

from __future__ import annotations

import sys

from vivavoce.core import environment
from vivavoce.core.folders import cache, make


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


def test_the_cache_is_where_it_is_said_to_be_also_by_an_env_file(tmp_path, monkeypatch):
    monkeypatch.delenv("VIVA_CACHE", raising=False)
    with environment.known({"VIVA_CACHE": str(tmp_path)}):
        assert cache() == tmp_path
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache() == tmp_path / "vivavoce"
