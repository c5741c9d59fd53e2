"""The columns of a row: which there are, which names are probably meant for them, and what to do about those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

FETCHED = "response_id"
"""The column that names an answer which a service keeps."""
INTERACTION = ("messages", "query", "response", "conversation", "actions", "tool_calls", FETCHED)
"""Columns any of which makes a row something to examine."""
ANY = (*INTERACTION, "test_case_description")
"""Columns without any of which there is nothing to examine."""
ASKS = frozenset(
    (
        *("evaluators", "testing_criteria", "data_mapping", "evaluator_config", "evaluator_parameters", "openai_graders"),
        *("evaluation_level", "data_source_config"),
    )
)
"""Names under which no row, but a document says how its rows are examined."""
STRUCTURED = frozenset(
    (
        *("messages", "conversation", "tool_definitions", "tool_calls", "actions", "expected_actions"),
        *("retrieval_ground_truth", "retrieved_documents", "simulation_configuration"),
        *("instruction_id_list", "instruction_kwargs"),
    )
)
"""Columns that hold more than text; a cell of a table holds them as JSON."""
SEED = ("test_case_description", "desired_num_turns", "test_case_category", "simulation_configuration")
"""Columns of a conversation that is to be simulated."""
STANDARD = frozenset((*INTERACTION, *SEED, *STRUCTURED, "ground_truth", "context", "id", "test_case_id", "category"))
OF_OBJECTS = frozenset({"retrieval_ground_truth", "retrieved_documents"})
OF_LISTS = OF_OBJECTS | {"instruction_id_list", "instruction_kwargs"}
BESIDE = OF_LISTS | {FETCHED}
"""Standard columns that are used as they stand, and so are kept with the other columns."""

WILD: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("question", "prompt", "input", "user_input", "user_query", "instruction"), "query"),
        **dict.fromkeys(("answer", "output", "completion", "prediction", "generated_answer", "model_output"), "response"),
        **dict.fromkeys(("truth", "expected", "expected_answer", "expected_output", "expected_response"), "ground_truth"),
        **dict.fromkeys(("reference", "reference_answer", "target", "golden_answer", "gold"), "ground_truth"),
        **dict.fromkeys(("tools", "functions"), "tool_definitions"),
    }
)
"""Names met in the wild, each with the column it is mapped to."""
_SHORTEST = 5
"""Letters of the shortest name of which a slip can be told, be it by a letter left out."""


def of_id(row: Mapping[str, object]) -> str:
    """The column that holds the id of a row, if any does."""
    return next((each for each in ("id", "test_case_id") if row.get(each) not in (None, "")), "id")


def meant(name: str) -> str | None:
    """The standard column of which a name can hardly be anything but a slip."""
    return next((known for known in STANDARD if is_slip(name, known)), None)


def is_slip(name: str, known: str) -> bool:
    """Whether a name can hardly be anything but a slip of a known one: `date` is a word of its own beside `data`."""
    folded, other = _fold(name), _fold(known)
    return folded == other or (len(other) >= _SHORTEST and _one_slip(folded, other))


def proposal(names: Iterable[str]) -> str:
    """The mapping that would make these columns readable, as it is typed; nothing when none of them is known."""
    found: dict[str, str] = {}
    for name in names:
        if name in WILD:
            found.setdefault(WILD[name], name)
    return " ".join(f"--map {param}={{{{item.{name}}}}}" for param, name in found.items())


def _fold(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


def _one_slip(one: str, other: str) -> bool:
    """Whether one letter more, less or other, or two in the wrong order, make the difference."""
    if abs(len(one) - len(other)) > 1:
        return False
    at = next((index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    a, b = one[at:], other[at:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])
