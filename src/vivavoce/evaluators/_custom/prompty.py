"""A prompty file - YAML between two lines `---`, then a prompt - as a rubric that the run's judge answers.

The prompt is filled by plain substitution of `{{name}}`. Nothing in it is executed, so control blocks are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from vivavoce.core.errors import PluginError
from vivavoce.core.place import Problems, did_you_mean
from vivavoce.core.reply import JSON
from vivavoce.core.rubric import Rubric
from vivavoce.core.source import Source

LIMIT = 256 * 1024
"""Bytes of a prompty; no judge reads that much."""
SCALE = (1.0, 5.0)
THRESHOLD = 3.0

EVIDENCE: Mapping[str, str] = MappingProxyType(
    {
        "prompt": "input",
        "user_prompt": "input",
        "response": "response",
        "expected_response": "expected",
        "context": "context",
    }
)
"""What a prompty without code may read, with the name of the evidence that it is."""

_OPENING = re.compile(r"\{\{|\{%|\{#")
_VARIABLE = re.compile(r"\{\{-?\s*([A-Za-z_][A-Za-z0-9_]*)\s*-?\}\}")
_ROLE = re.compile(r"(?im)^[ \t]*#?[ \t]*(system|user|assistant|developer|function|tool)[ \t]*:[ \t]*$\n?")


@dataclass(frozen=True, kw_only=True)
class Prompty:
    """A prompty as it was read."""

    name: str
    where: str
    measures: str
    version: int
    prompt: str
    """With its placeholders as they were written."""
    defaults: Mapping[str, str]
    """What a variable is when nothing else is said."""
    answers_object: bool
    """Whether the answer is asked for as a JSON object, rather than as text."""
    names_model: bool

    @property
    def variables(self) -> tuple[str, ...]:
        """What the prompt reads, in its order."""
        return tuple(dict.fromkeys(_VARIABLE.findall(self.prompt)))

    def alone(self) -> Rubric:
        """The rubric it is when no code goes with it: its variables are names of evidence.

        Raises:
            PluginError: it reads what there is not, or nothing at all.
        """
        for name in self.variables:
            if name not in EVIDENCE:
                hint = did_you_mean(name, EVIDENCE)
                raise PluginError(f"{self.where}: nothing is called {{{{{name}}}}} ({hint}), unless {self.name}.py gives it")
        if "response" not in self.variables:
            raise PluginError(f"{self.where} reads nothing of the answer: put {{{{response}}}} where the judge is to read it")
        return self._rubric(EVIDENCE)

    def filled(self, given: Mapping[str, object]) -> tuple[Rubric, dict[str, str]]:
        """The rubric with what code gives its variables, as fields for the judge.

        Raises:
            ValueError: a variable is given nothing; names the nearest that was given.
        """
        values = {**self.defaults, **{name: str(value) for name, value in given.items()}}
        for name in self.variables:
            if name not in values:
                raise ValueError(f"{self.where} reads {{{{{name}}}}}, which it was not given ({did_you_mean(name, values)})")
        names = _distinct(self.variables)
        return self._rubric(names), {names[name]: values[name] for name in self.variables}

    def rubric(self) -> Rubric:
        """The same rubric, by whatever it will be filled."""
        return self._rubric(_distinct(self.variables))

    def _rubric(self, names: Mapping[str, str]) -> Rubric:
        return Rubric(
            name=self.name,
            version=self.version,
            measures=self.measures,
            scale=SCALE,
            threshold=THRESHOLD,
            prompt=_VARIABLE.sub(lambda match: f"{{{{{names[match[1]]}}}}}", self.prompt),
            manual={"Source": f"{self.where}, of this project."},
        )


def read(path: Path, where: str, name: str) -> Prompty:
    """A prompty file; `where` is what messages call it.

    Raises:
        PluginError: it is too large, no text, or no prompty; says where.
    """
    text = _text(path, where)
    front, body, first = _split(text, where)
    source, problems = Source(path, where), Problems()
    from vivavoce.wire import yaml_text

    # Begun on the second line of the file, so that lines are told as they stand there.
    settings = yaml_text.parse(source, "\n" + front, problems)
    if problems.total:
        raise PluginError("\n".join(str(each) for each in problems.found()))
    if settings is not None and not isinstance(settings, dict):
        raise PluginError(f"{where}: its front matter is no list of `key: value`")
    _check_templates(body, where, first)
    prompt = _without_roles(body)
    if not prompt:
        raise PluginError(f"{where}: there is no prompt after the front matter")
    return _prompty(settings or {}, name, where, prompt)


def _prompty(settings: dict[str, JSON], name: str, where: str, prompt: str) -> Prompty:
    model, inputs = _mapping(settings.get("model")), _mapping(settings.get("inputs"))
    form = _mapping(_mapping(model.get("parameters")).get("response_format"))
    told = " ".join(str(settings.get("description") or "").split())
    version = settings.get("version")
    return Prompty(
        name=name,
        where=where,
        measures=told.partition(". ")[0].rstrip(".") + "." if told else f"What {where} asks the judge.",
        version=version if isinstance(version, int) and not isinstance(version, bool) else 1,
        prompt=prompt,
        defaults={
            key: str(each["default"])
            for key, each in inputs.items()
            if isinstance(each, dict) and each.get("default") is not None
        },
        answers_object=str(form.get("type")).startswith("json"),
        names_model=bool(model.keys() - {"api"}),
    )


def _mapping(value: JSON) -> dict[str, JSON]:
    """What is none says nothing: only Microsoft's tool knows all of it, and Viva reads little."""
    return value if isinstance(value, dict) else {}


def _text(path: Path, where: str) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(LIMIT + 1)
    except OSError as error:
        raise PluginError(f"{where} cannot be read: {error.strerror or error}") from error
    if len(data) > LIMIT:
        raise PluginError(f"{where} is larger than {LIMIT // 1024} KB, more than a judge is given to read; shorten it")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise PluginError(f"{where} is not UTF-8 ({error.reason}); save it as UTF-8") from error


def _split(text: str, where: str) -> tuple[str, str, int]:
    """Front matter, prompt, and the line the prompt begins on."""
    lines = text.split("\n")
    ends = [number for number, line in enumerate(lines) if line.rstrip() == "---"]
    if len(ends) < 2 or ends[0] != 0:
        raise PluginError(f"{where} begins with front matter: a line ---, then `name: {Path(where).stem}`, then a line ---")
    return "\n".join(lines[1 : ends[1]]), "\n".join(lines[ends[1] + 1 :]), ends[1] + 2


def _check_templates(body: str, where: str, first: int) -> None:
    for match in _OPENING.finditer(body):
        if _VARIABLE.match(body, match.start()):
            continue
        line = first + body.count("\n", 0, match.start())
        shown = body[match.start() :].partition("\n")[0][:40]
        if match[0] == "{{":
            raise PluginError(
                f"{where}:{line}: `{shown}` is no plain placeholder; write {{{{name}}}}, and make the text in Python"
            )
        raise PluginError(
            f"{where}:{line}: `{shown}` would have to be executed, and a prompt is only filled: make the text in "
            f"{Path(where).stem}.py, and give it to the prompt as one variable"
        )


def _without_roles(body: str) -> str:
    """The sections one after the other. With answers of an assistant among them, each keeps its heading, to be told apart."""
    roles = {match[1].lower() for match in _ROLE.finditer(body)}
    if "assistant" in roles:
        return body.strip()
    return "\n\n".join(part for each in _ROLE.split(body)[::2] if (part := each.strip()))


def _distinct(variables: Iterable[str]) -> dict[str, str]:
    """A placeholder for each variable, in the letters that a rubric's may have."""
    names: dict[str, str] = {}
    for variable in variables:
        name = re.sub(r"[^a-z_]", "_", variable.lower())
        while name in names.values():
            name += "_"
        names[variable] = name
    return names
