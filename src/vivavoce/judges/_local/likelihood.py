"""How likely an answer is after its question: asked of a small language model, where one is installed.

The model is never asked for a grade. It reads the answer twice, once after the question and once without it; by how much the
question makes the answer more likely says how far the one belongs to the other.
"""

from __future__ import annotations

import importlib.util
import json
import secrets
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any

from vivavoce.core.errors import CallError, MissingExtra
from vivavoce.core.result import Failure
from vivavoce.judges._local import model
from vivavoce.judges._local.look import Look
from vivavoce.judges._local.reading import Texts

PACKAGE = "xllamacpp"
CONSTRUCTS = ("relevance",)
"""What it is asked about: it helps there, added nothing to coherence where that was tried, and was not tried elsewhere."""
SIGNS: Mapping[str, int] = MappingProxyType({"gain": 1})
"""What it adds to the features of a look, all of it in favour of the answer."""

_READ = 40
"""Tokens of an answer that are read; each takes some milliseconds."""
_QUESTION = 600
"""Characters of a question, its end, that are read."""
_LEAST, _MOST, _UNIT = -10.0, 40.0, 20.0
_HINT = 0.15
_LOADING = Lock()


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """A language model that is ready to read."""

    server: Any  # the runtime comes without types
    key: str
    """What its own HTTP door asks for; that door opens with the runtime, and only this process knows the key."""

    def gain(self, question: str, answer: str) -> float:
        """By how much the question makes the answer more likely, as a sum of logarithms over its first tokens."""
        tokens = self._tokens(" " + answer[: 12 * _READ])[:_READ]
        if not tokens:
            return 0.0
        after = self._read(self._tokens(f"Question: {question[-_QUESTION:]}\nAnswer:"), tokens)
        alone = self._read(self._tokens("Answer:"), tokens)
        return sum(after) - sum(alone)

    def _tokens(self, text: str) -> list[int]:
        """The text as tokens; what looks like a mark of the model's own, such as the end of a turn, is plain text."""
        request = urllib.request.Request(
            f"{self.server.listening_address}/tokenize",
            json.dumps({"content": text, "add_special": False, "parse_special": False}).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"},
        )
        # Never through a proxy of the environment: it is this process itself that is called.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as answer:
            tokens: list[int] = json.load(answer)["tokens"]
        return tokens

    def _read(self, prompt: Sequence[int], tokens: Sequence[int]) -> list[float]:
        """The logarithm of each token's likelihood: a grammar lets the model write nothing but these tokens."""
        answer = self.server.handle_completions(
            {
                "prompt": list(prompt),
                "n_predict": len(tokens),
                "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
                "temperature": 0,
                "seed": 1,
                "n_probs": 1,
                "cache_prompt": False,  # what was read before must not change a bit of the outcome
            }
        )
        if "choices" not in answer:
            raise _failed(str(answer.get("error", answer))[:200])
        return [float(each["logprob"]) for each in answer["choices"][0]["logprobs"]["content"]]


def require() -> None:
    """Make sure that there is a model.

    Raises:
        MissingExtra: a part of it is missing; says how to get it.
    """
    if importlib.util.find_spec(PACKAGE) is None or not model.path().is_file():
        raise MissingExtra(
            "judge local: language_model=on needs the small language model, which is not installed: viva model install"
        )


def installed() -> Model | None:
    """The model of this process, loaded on first use; `None` where none is installed."""
    with _LOADING:
        try:
            require()
        except MissingExtra:
            return None
        return _loaded(model.path())


def add(seen: Look, given: Texts, reader: Model) -> Look:
    """What was seen, and what the model adds to it.

    Raises:
        CallError: the model fails.
    """
    try:
        gain = reader.gain(given.question, given.answer)
    except OSError as error:
        raise _failed(str(error)) from error
    value = round(min(_MOST, max(_LEAST, gain)) / _UNIT, 4)
    findings = seen.findings
    if value < _HINT:
        findings = (*findings, "the question makes the answer hardly more likely")
    grounds = (*seen.grounds, f"likelihood gain {value:.2f}")
    return replace(seen, features={**seen.features, "gain": value}, findings=findings, grounds=grounds)


def _failed(why: str) -> CallError:
    message = f"the small language model failed: {why}; --judge-option language_model=off goes without it"
    return CallError(Failure(code="language_model", message=message, phase="judge"))


@cache
def _loaded(file: Path) -> Model:
    import xllamacpp

    key = secrets.token_urlsafe(24)
    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.n_ctx = 1024
    params.n_parallel = 1
    # One thread: two beside a busy process are slower than one, and sums in another order differ in their last bits.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.verbosity = -1
    params.api_keys = [key]
    try:
        return Model(server=xllamacpp.Server(params), key=key)
    except RuntimeError as error:  # what the runtime raises when it cannot load a model
        raise _failed(str(error)) from error
