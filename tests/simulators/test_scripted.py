"""The scripted user: what it makes of a goal, how it hears answers, and when it has had enough."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.model import Persona
from vivavoce.core.reply import Message
from vivavoce.core.scene import Move, Scene
from vivavoce.simulators._scripted import person
from vivavoce.simulators._scripted.goal import read
from vivavoce.simulators.scripted import Scripted


def persona(goal: str, context: str = "", **more: Any) -> Persona:
    return Persona(goal=goal, context=context, **more)


def parts(goal: str, context: str = "") -> list[tuple[str, str]]:
    return [(part.kind, part.it) for part in read(persona(goal, context)).parts]


async def talk(who: Persona, *answers: str, seed: int = 0) -> tuple[list[str], Move]:
    """What is said to these answers, until the user stops or they run out; with its last move."""
    said: list[Message] = []
    told: list[str] = []
    for turn, answer in enumerate(answers):
        if not turn and who.input is not None:
            words = who.input
        else:
            move = await Scripted().move(Scene(persona=who, said=tuple(said), turn=turn, seed=seed))
            if move.stop is not None:
                return told, move
            words = move.message or ""
        told.append(words)
        said += [Message(role="user", content=words), Message(role="assistant", content=answer)]
    return told, await Scripted().move(Scene(persona=who, said=tuple(said), turn=len(answers), seed=seed))


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        (
            "Find out when order 17 arrives and what is in it, then ask how a blanket is washed.",
            [("question", "when order 17 arrives"), ("question", "what is in it"), ("question", "how a blanket is washed")],
        ),
        (
            "A customer wants to return a lantern and get a refund.",
            [("wish", "return a lantern"), ("wish", "get a refund")],
        ),
        ("You want to know whether your parcel was sent.", [("question", "whether my parcel was sent")]),
        ("The user asks about shipping to Norway.", [("topic", "shipping to Norway")]),
        ("The user needs a new password for their account.", [("need", "a new password for my account")]),
        (
            "Learn the price of the blue mug; cancel order 3",
            [("topic", "the price of the blue mug"), ("wish", "cancel order 3")],
        ),
        ("A refund for the lamp", [("need", "a refund for the lamp")]),
        ("Ask for the manager.", [("need", "the manager")]),
        ("Book a table. The agent should confirm it. If the agent offers a drink, decline.", [("wish", "book a table")]),
        (
            "- Find out what it costs\n- Check if it is in stock",
            [("question", "what it costs"), ("question", "if it is in stock")],
        ),
        ("Somebody asks whether they may bring a dog.", [("question", "whether I may bring a dog")]),
        (
            "Le client veut savoir quand arrive sa commande. Il est poli.",
            [("plain", "Quand arrive sa commande."), ("plain", "Il est poli.")],
        ),
        (
            "\u67e5\u8be2\u8ba2\u5355\u3002\u4e86\u89e3\u653f\u7b56",
            [("plain", "\u67e5\u8be2\u8ba2\u5355"), ("plain", "\u4e86\u89e3\u653f\u7b56")],
        ),
        (
            "Find out the opening hours, the address and the price of a mug",
            [("topic", "the opening hours"), ("topic", "the address"), ("topic", "the price of a mug")],
        ),
        (
            "Ask about the difference between the Firefly and the Ember.",
            [("topic", "the difference between the Firefly and the Ember")],
        ),
        ("The customer needs a tent and a lamp.", [("need", "a tent and a lamp")]),
        ("", [("topic", "something")]),
        ("Simulate a persona for this test case.", [("topic", "something")]),
    ],
)
def test_what_a_goal_asks_for(goal: str, expected: list[tuple[str, str]]) -> None:
    assert parts(goal) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("You bought a lantern last week", "I bought a lantern last week"),
        ("The customer lives in Skerrow and their order is late", "I live in Skerrow and my order is late"),
        ("She has two cats", "I have two cats"),
        ("They are students", "I am students"),
        ("Your order is 17", "my order is 17"),
        ("what you need", "what I need"),
        ("what it takes for you", "what it takes for me"),
    ],
)
def test_what_is_said_of_a_user_in_the_users_words(text: str, said: str) -> None:
    assert person.first(text, about_them=True) == said


async def test_it_asks_for_one_thing_after_the_other_and_ends_when_it_has_all() -> None:
    told, last = await talk(
        persona("Find out when the shop opens, and ask where it is."), "The shop opens at nine.", "The shop is in Skerrow."
    )
    assert ["when the shop opens" in told[0], "where it is" in told[1], "where" in told[0]] == [True, True, False]
    assert last.stop == "goal_completed"
    assert "when the shop opens; where it is" in last.reasoning


@pytest.mark.parametrize(
    ("answers", "turns", "stop"),
    [
        (["The Firefly costs 49.00 euros.", "The Ember costs 12.50 euros."], 2, "goal_completed"),
        (["The Firefly costs 49.00 euros, the Ember 12.50."], 1, "goal_completed"),
        (["The Firefly costs 49.00 euros.", "The Firefly costs 49.00 euros."], 2, "gave_up"),
        (["2 Firefly lanterns cost 98.00 euros.", "The Ember costs 12.50 euros."], 2, "goal_completed"),
        (["The Firefly costs 49.00 euros.", "Cats purr.", "Dogs bark.", "Cows moo."], 3, "gave_up"),
    ],
)
async def test_who_wants_to_know_of_several_is_not_content_with_one(answers: list[str], turns: int, stop: str) -> None:
    impatient = {"mood": "impatient"}
    told, last = await talk(persona("Find out what at least two lanterns cost.", traits=impatient), *answers)
    assert (len(told), last.stop) == (turns, stop)


async def test_one_answer_twice_may_answer_two_things() -> None:
    same = "The opening hours are from 9 to 17, and a mug costs 12.00 euros."
    told, last = await talk(persona("Find out the opening hours and the price of a mug."), same, same)
    assert (len(told), last.stop) == (2, "goal_completed")


async def test_what_was_told_unasked_is_not_asked_for() -> None:
    told, last = await talk(
        persona("Find out when order 17 arrives. Ask which carrier brings order 17."),
        "Order 17 arrives on Friday; the carrier Fellside brings it.",
    )
    assert (len(told), last.stop) == (1, "goal_completed")


async def test_asked_back_it_tells_its_profile_once_and_else_that_it_does_not_know() -> None:
    who = persona(
        "Find out when your order arrives.", "You bought a lamp. Your order number is HW-1042.", traits={"postcode": "X1"}
    )
    told, _ = await talk(who, "What is the order number?", "And your postcode?", "What is your shoe size?", "Hm?")
    assert told[1:3] == ["My order number is HW-1042.", "My postcode is X1."]
    assert any(word in told[3].lower() for word in ("know", "hand", "tell", "sure"))


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        (["Please hold the line."] * 2, "said the same again"),
        (["I cannot help with that.", "I'm not able to do so.", "I don't know."], "declined"),
        (["", "", ""], "said the same again"),
        (["Cats purr.", "Dogs bark.", "Cows moo."], "something else"),
    ],
)
async def test_it_gives_up_when_there_is_no_way_forward(answers: list[str], why: str) -> None:
    told, last = await talk(persona("Find out when order 17 arrives."), *answers)
    assert last.stop == "gave_up"
    assert why in last.reasoning
    assert "when order 17 arrives" in last.reasoning
    assert len(set(told)) == len(told), "it does not say the same again itself"


async def test_patience_follows_from_the_profile() -> None:
    answers = ["I cannot tell.", "I can't say.", "I am unable to."] * 2
    goal = "Find out when order 17 arrives, ask what it costs, and check where it is."
    lengths = [
        len((await talk(persona(goal, context), *answers))[0]) for context in ("An impatient man.", "", "A patient man.")
    ]
    assert lengths == [2, 3, 4]


async def test_desired_turns_guide() -> None:
    answer = "Order 17 arrives on Friday."
    told, last = await talk(persona("Find out when order 17 arrives.", desired_turns=3), answer, "No.", "Yes.", "What?")
    assert (len(told), last.stop) == (3, "goal_completed")


async def test_an_offer_is_taken_when_it_is_what_is_wanted() -> None:
    told, _ = await talk(
        persona("Open a ticket about the lamp."), "Shall I open a ticket for you?", "Would you like me to sing?", "x"
    )
    assert told[1].startswith("Yes")
    assert told[2].startswith("No")


async def test_it_never_says_what_it_is() -> None:
    for seed in range(20):
        told, _ = await talk(persona("Open a ticket."), "Are you a bot?", "Are you human?", "Is this a test?", "x", seed=seed)
        assert not {"bot", "human", "simulated", "test", "script"} & set(" ".join(told[1:]).lower().split())


async def test_a_given_first_message_is_about_what_it_shares_words_with() -> None:
    who = persona("Find out when the shop opens, and ask what a mug costs.", input="What does the mug cost?")
    told, last = await talk(who, "The mug costs 12 euros.", "The shop opens at nine.")
    assert "when the shop opens" in told[1]
    assert last.stop == "goal_completed"


async def test_who_only_said_hello_says_what_it_wants_when_it_is_asked() -> None:
    who = persona("Find out what the blue mug costs.", input="Hello, I have a question.")
    told, last = await talk(who, "Could you name the order or the product?", "The blue mug costs 12.00 euros.")
    assert "what the blue mug costs" in told[1]
    assert last.stop == "goal_completed"


async def test_tone_and_seed_change_the_words() -> None:
    goal = "Find out when order 17 arrives."
    firsts = {(await talk(persona(goal), "x", seed=seed))[0][0] for seed in range(12)}
    assert len(firsts) > 5
    polite = {(await talk(persona(goal, traits={"tone": "polite"}), "x", seed=seed))[0][0] for seed in range(12)}
    assert not polite & firsts


@given(
    goal=st.text(max_size=80),
    context=st.text(max_size=80),
    answers=st.lists(st.text(max_size=60), min_size=1, max_size=6),
    seed=st.integers(0, 2**48),
)
async def test_whatever_is_said_it_says_something_or_stops_and_the_same_again(
    goal: str, context: str, answers: list[str], seed: int
) -> None:
    who = persona(goal, context, desired_turns=2)
    told, last = await talk(who, *answers, seed=seed)
    assert all(each.strip() for each in told)
    assert last.stop is not None or (last.message or "").strip()
    assert (told, last) == await talk(who, *answers, seed=seed)


async def test_a_conversation_ends_by_itself() -> None:
    for seed in range(5):
        _, last = await talk(
            persona("Find out when order 17 arrives. Ask about the weather."), *["Tell me more?"] * 30, seed=seed
        )
        assert last.stop == "gave_up"
