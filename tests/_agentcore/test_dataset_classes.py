"""Scenarios as Python objects: what they refuse, and that nothing of them is lost on the way into a file and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

import vivavoce.agentcore
from vivavoce.agentcore import ActorProfile, Dataset, FileDatasetProvider, PredefinedScenario, SimulatedScenario, Turn
from vivavoce.core.errors import DatasetError, UsageError

DATA = Path(__file__).resolve().parents[1] / "data" / "agentcore" / "ok"
PROFILE = ActorProfile(context="A customer", goal="Buy a mug", traits={"patience": 2})

INLINE = Dataset(
    scenarios=[
        PredefinedScenario(
            scenario_id="order",
            turns=[
                Turn(input="Where is order HW-1042?", expected_response="It is on its way."),
                Turn(input={"prompt": "And?"}),
            ],
            expected_trajectory=["look_up_order"],
            assertions=["The order was looked up"],
            metadata={"category": "orders"},
        ),
        SimulatedScenario(
            scenario_id="gift", scenario_description="A present", actor_profile=PROFILE, input="Hello", max_turns=3
        ),
    ]
)


def test_all_names_are_there_and_sorted():
    assert vivavoce.agentcore.__all__ == sorted(vivavoce.agentcore.__all__)
    assert all(hasattr(vivavoce.agentcore, name) for name in vivavoce.agentcore.__all__)


def test_dumping_and_loading_loses_nothing():
    for again in (
        Dataset.model_validate(INLINE.model_dump()),
        Dataset.model_validate(INLINE.model_dump(mode="json")),
        Dataset.model_validate_json(INLINE.model_dump_json()),
        Dataset.model_validate_json(INLINE.model_dump_json(exclude_unset=True)),
    ):
        assert again == INLINE
        assert [type(each) for each in again.scenarios] == [PredefinedScenario, SimulatedScenario]


def test_what_was_dumped_is_a_file(tmp_path):
    path = tmp_path / "dataset.json"
    path.write_text(INLINE.model_dump_json(), encoding="utf-8")
    assert FileDatasetProvider(path).get_dataset() == INLINE
    assert FileDatasetProvider(str(path)).get_dataset() == INLINE
    lines = tmp_path / "dataset.jsonl"
    lines.write_text("".join(each.model_dump_json() + "\n" for each in INLINE.scenarios), encoding="utf-8")
    assert FileDatasetProvider(lines).get_dataset() == INLINE


@pytest.mark.parametrize(
    "name", ["single.json", "turns.json", "simulated.json", "list.json", "one.json", "packed.json.gz", "marked.JSONL"]
)
def test_files_of_every_layout_become_datasets(name, recwarn):
    dataset = FileDatasetProvider(DATA / name).get_dataset()
    assert Dataset.model_validate_json(dataset.model_dump_json()) == dataset
    assert all(isinstance(each, PredefinedScenario | SimulatedScenario) for each in dataset.scenarios)


def test_fields_of_ones_own_are_kept(tmp_path):
    path = tmp_path / "own.json"
    row = {"scenario_id": "a", "turns": [{"input": "Hi", "channel": "web"}], "queue": "evening"}
    path.write_text(json.dumps({"scenarios": [row], "version": "2"}))
    with pytest.warns(UserWarning, match="kept as metadata"):
        dataset = FileDatasetProvider(path).get_dataset()
    assert dataset.model_dump(exclude_unset=True) == {"scenarios": [row], "version": "2"}


def test_the_forms_of_the_service_are_normalised():
    rows = [
        {
            "scenario_id": "a",
            "turns": [{"input": "Hi"}],
            "expected_trajectory": {"toolNames": ["x"]},
            "assertions": [{"text": "y"}],
        }
    ]
    (scenario,) = Dataset.model_validate({"scenarios": rows}).scenarios
    assert (scenario.expected_trajectory, scenario.assertions) == (["x"], ["y"])


def test_everything_wrong_in_a_file_is_one_error(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{"scenarios": [{"scenario_id": "a", "truns": []}, {"scenario_id": "b", "turns": []}]}')
    with pytest.raises(DatasetError) as caught:
        FileDatasetProvider(path).get_dataset()
    assert [problem.path for problem in caught.value.problems] == ["scenarios[0].truns", "scenarios[1].turns"]
    with pytest.raises(UsageError, match="cannot be read"):
        FileDatasetProvider(tmp_path / "none.json").get_dataset()


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: Turn(input=""), "must not be empty"),
        (lambda: Turn(input={}), "must not be empty"),
        (lambda: PredefinedScenario(scenario_id="a", turns=[]), "turns"),
        (lambda: PredefinedScenario(scenario_id=" ", turns=[Turn(input="x")]), "must not be blank"),
        (lambda: SimulatedScenario(scenario_id="a", actor_profile=PROFILE, input="x", max_turns=0), "max_turns"),
        (lambda: SimulatedScenario(scenario_id="a", actor_profile=PROFILE, input="x", max_turns="5"), "max_turns"),
        (lambda: SimulatedScenario(scenario_id="a", actor_profile=PROFILE, input=["x"]), "input"),
        (lambda: Dataset(scenarios=[]), "scenarios"),
        (lambda: Dataset.model_validate({"scenarios": [{"scenario_id": "a", "truns": []}]}), 'or the "actor_profile"'),
        (lambda: Dataset(scenarios=[*INLINE.scenarios, *INLINE.scenarios]), "the same scenario_id: gift, order"),
    ],
)
def test_what_cannot_be_meant_is_refused(made, told):
    with pytest.raises(ValidationError, match=told):
        made()


def test_the_first_words_may_be_of_a_model():
    class Words(BaseModel):
        prompt: str
        channel: str = "web"

    scenario = SimulatedScenario(scenario_id="a", actor_profile=PROFILE, input=Words(prompt="Hello"))
    assert Dataset(scenarios=[scenario]).model_dump()["scenarios"][0]["input"] == {"prompt": "Hello", "channel": "web"}
