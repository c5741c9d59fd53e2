"""Templates to pages. Every text in them is escaped, and what would hide or reorder text around it is made visible."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup as Safe

from vivavoce import __version__
from vivavoce.core.visible import visible
from vivavoce.reports import _text
from vivavoce.reports._html import charts
from vivavoce.reports._html.blocks import mark
from vivavoce.reports._html.markup import Markup
from vivavoce.web._pages import addresses, words

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, **given: object) -> str:
    """A page."""
    return environment().get_template(template).render(**given)


@cache
def environment() -> Environment:
    """The templates, each read once."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("vivavoce.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        mark=mark,
        bar=charts.bar,
        to=addresses,
        version=__version__,
        STATES=dict(words.STATES),
    )
    made.filters.update(
        line=_text.line,
        when=words.when,
        rate=words.rate,
        change=words.change,
        direction=words.direction,
        counts=words.counts,
        told=words.told,
    )
    return made


def _shown(value: object) -> object:
    if isinstance(value, Markup):
        return Safe(value)
    return visible(value) if isinstance(value, str) and not isinstance(value, Safe) else value
