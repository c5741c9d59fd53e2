"""Look at the searches an agent reports: what it searched for, and what it found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from vivavoce.core.evidence import Evidence
from vivavoce.core.kinds import Ask
from vivavoce.core.reply import JSON, Object
from vivavoce.core.result import Verdict
from vivavoce.core.rubric import Rubric
from vivavoce.evaluators import _rubrics
from vivavoce.evaluators._options import telling, whole
from vivavoce.evaluators._quote import count, listing, quote
from vivavoce.evaluators._tokens import fold

__all__ = ["RetrievalQuery", "RetrievalResult"]

_CLAIM = "retrievalExtract_contains"
_FAILED = frozenset({"failed", "failure", "error", "errored", "timeout", "timedout", "cancelled", "canceled"})
_KEPT = 50
"""Queries listed in the details."""


@dataclass(frozen=True, kw_only=True)
class RetrievalQuery:
    """Whether the agent searched for the right thing.

    Measures: 1 when a reported query contains `selector`, every one of `includes` and none of `excludes`, else 0. When
    several queries contain the selector, each included term may stand in any of them, and an excluded one in none.
    Needs: the agent's reported searches (`retrieval_executions`); an agent that reports `[]` made none, and fails.
    Example: selector "sales report", includes ["Q4"]; query "contoso Q4 sales report" -> 1, passed.
    Limits: terms are substrings, compared without case and in the query text only; a filter expression is not looked at,
    and whether anything was found is for RetrievalResult. `details.diagnostic_code` is `pass`, `no_matching_query`,
    `required_terms_missing`, `excluded_terms_found`, `mixed_term_failure` (both), or `retrieval_failure` when every search
    that could have matched is reported as failed.
    Source: Microsoft 365 Copilot Agent Evaluations, `RetrievalQuery`.
    """

    needs: ClassVar[tuple[str, ...]] = ("retrievals",)
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    selector: str
    """Text that tells the query meant from the agent's other ones."""
    capability: str | None = None
    """Only searches of this capability, such as `OneDriveAndSharePoint`; all when absent."""
    includes: tuple[str, ...] = ()
    """Terms that must stand in the query."""
    excludes: tuple[str, ...] = ()
    """Terms that must not."""

    def __post_init__(self) -> None:
        if not self.selector.strip():
            raise ValueError("selector is blank; give a text that stands in the query meant")
        telling("includes", self.includes)
        telling("excludes", self.excludes)

    def score(self, evidence: Evidence) -> Verdict:
        """1 when the query is as it should be."""
        reported = evidence.retrievals
        scoped = _scoped(reported, self.capability)
        queries = [query for execution in scoped for query in _queries(execution)]
        selector = fold(self.selector)
        matched = [query for query in queries if selector in fold(query)]
        folded = [fold(query) for query in matched]
        missing = [term for term in self.includes if not any(fold(term) in query for query in folded)]
        found = [term for term in self.excludes if any(fold(term) in query for query in folded)]
        if not matched:
            has_failed = bool(scoped) and all(_has_failed(execution) for execution in scoped)
            code = "retrieval_failure" if has_failed else "no_matching_query"
            reason = _none_matched(self.selector, queries) if scoped else _out_of_scope(reported, self.capability)
            reason += " (every search is reported as failed)" if has_failed else ""
            missing = []
        elif missing or found:
            code = "mixed_term_failure" if missing and found else "required_terms_missing"
            code = code if missing else "excluded_terms_found"
            parts = [f"the query lacks {listing(missing)}"] if missing else []
            parts += [f"the query contains {listing(found)}, which is excluded"] if found else []
            reason = f"{'; '.join(parts)}: {listing(matched)}"
        else:
            code, reason = "pass", f"{count(len(matched), 'query', 'queries')} as wanted: {listing(matched)}"
        passed = code == "pass"
        details = {
            "diagnostic_code": code,
            "matched_queries": matched[:_KEPT],
            "includes_missing": missing,
            "excludes_found": found,
        }
        return Verdict(value=float(passed), passed=passed, reason=reason, details=details)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Hit:
    """One thing found, within the rank asked for."""

    rank: int | float
    url: str | None
    extracts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RetrievalResult:
    """Whether the agent's searches found what they should.

    Measures: the share of `expected_items` found in the extracts of hits within `max_rank`, 0-1; 1 or 0 when only
    `min_expected_count` is given. It passes when every item is found and the number of hits within rank is large enough.
    Needs: the agent's reported searches (`retrieval_executions`); an agent that reports `[]` made none, and fails. With
    `judge`, the run's judge as well.
    Example: two of three expected items found -> 0.67, failed.
    Limits: without `judge` an item is a substring of one extract, compared without case. A hit without a rank takes its
    place in the list, from 1. Hits of several searches are counted together. `details.diagnostic_code` is `pass`,
    `not_retrieved`, `count_below_minimum` (also when every item was found), or `error` when there was no hit at all.
    Source: Microsoft 365 Copilot Agent Evaluations, `RetrievalResult`; `judge` is its reading since schema 1.6.
    """

    needs: ClassVar[tuple[str, ...]] = ("retrievals",)
    uses: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[str, ...]] = ("turn",)
    scale: ClassVar[tuple[float, float | None]] = (0, 1)

    capability: str | None = None
    """Only searches of this capability; all when absent."""
    expected_items: tuple[dict[str, str], ...] | None = None
    """What must have been found, each `{"retrievalExtract_contains": text}`."""
    min_expected_count: int | float | None = None
    """How many hits there must be within `max_rank`, from 1."""
    max_rank: int | float = 10
    """The last rank looked at, from 1."""
    judge: bool = False
    """Ask the run's judge whether the extracts support each item, instead of looking for its text."""

    def __post_init__(self) -> None:
        if self.expected_items is None and self.min_expected_count is None:
            raise ValueError("give expected_items, min_expected_count or both; without them there is nothing to look for")
        if self.expected_items is not None:
            _check_items(self.expected_items)
        if self.min_expected_count is not None:
            object.__setattr__(self, "min_expected_count", whole("min_expected_count", self.min_expected_count))
        object.__setattr__(self, "max_rank", whole("max_rank", self.max_rank))

    @property
    def rubric(self) -> Rubric | None:
        """What the judge is asked, if it is."""
        return _entailment() if self.judge else None

    async def score(self, evidence: Evidence, ask: Ask) -> Verdict:
        """The share of expected items found."""
        reported = evidence.retrievals
        scoped = _scoped(reported, self.capability)
        hits = [hit for execution in scoped for hit in _hits(execution)]
        within = [hit for hit in hits if hit.rank <= self.max_rank]
        claims = [item[_CLAIM] for item in self.expected_items or ()]
        matched: list[dict[str, JSON]] = []
        missing: list[str] = []
        for claim in claims:
            found = await self._find(claim, within, ask)
            matched += [found] if found else []
            missing += [] if found else [claim]
        too_few = self.min_expected_count is not None and len(within) < self.min_expected_count
        code = "error" if not hits else "count_below_minimum" if too_few else "not_retrieved" if missing else "pass"
        passed = code == "pass"
        details = {
            "diagnostic_code": code,
            "results_evaluated": len(within),
            "matched_items": matched,
            "missing_items": missing,
            "extract_failures": missing if within else [],
        }
        if not scoped:
            reason = _out_of_scope(reported, self.capability)
        elif not hits:
            reason = f"{count(len(scoped), 'search', 'searches')} reported, without a hit"
        else:
            reason = self._say(len(claims), missing, len(within), too_few)
        return Verdict(
            value=len(matched) / len(claims) if claims else float(passed), passed=passed, reason=reason, details=details
        )

    async def _find(self, claim: str, within: Sequence[_Hit], ask: Ask) -> dict[str, JSON] | None:
        """The hit that has what is claimed, as details show it; `None` when it was not found."""
        wanted = fold(claim)
        literal = next((hit for hit in within if any(wanted in fold(text) for text in hit.extracts)), None)
        reason = "an extract contains it"
        if self.judge:
            extracts = "\n\n".join(text for hit in within for text in hit.extracts)
            if not extracts:
                return None
            rubric = _entailment()
            verdict = await ask(rubric, response=claim, context=extracts)
            if verdict.value != rubric.span[1]:
                return None
            reason = verdict.reason
        elif literal is None:
            return None
        return {
            "extractMatch": claim,
            "matchedHitUrl": literal.url if literal else None,
            "matchedHitRank": literal.rank if literal else None,
            "reason": reason,
        }

    def _say(self, claims: int, missing: Sequence[str], within: int, too_few: bool) -> str:
        place = f"{count(within, 'hit')} within rank {self.max_rank}"
        parts = [f"{claims - len(missing)} of {count(claims, 'expected item')} found in {place}"] if claims else [place]
        parts += [f"missing {listing(missing)}"] if missing else []
        if self.min_expected_count is not None:
            parts.append(f"{'only ' if too_few else ''}{within} of at least {self.min_expected_count} hits")
        return "; ".join(parts)


def _entailment() -> Rubric:
    return _rubrics.load("_entailment")


def _check_items(items: Sequence[Mapping[str, str]]) -> None:
    if not items:
        raise ValueError("expected_items is empty; give an item, or leave it out")
    for index, item in enumerate(items):
        if set(item) != {_CLAIM}:
            given = ", ".join(sorted(item)) or "nothing"
            raise ValueError(f"expected_items[{index}] has {given}; it takes exactly {_CLAIM}")
        if not item[_CLAIM].strip():
            raise ValueError(f"expected_items[{index}].{_CLAIM} is blank; give the text that must be found")


# What an agent reports is read as it comes: any part may be absent, null, or of another type than it should be.


def _scoped(executions: Sequence[Object], capability: str | None) -> list[Object]:
    objects = _objects(executions)
    return [each for each in objects if capability is None or each.get("capability") == capability]


def _objects(value: JSON) -> list[Object]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, (list, tuple)) else []


def _queries(execution: Object) -> Iterator[str]:
    for query in _objects(execution.get("queries")):
        text = query.get("queryString")
        if isinstance(text, str):
            yield text


def _hits(execution: Object) -> Iterator[_Hit]:
    for place, hit in enumerate(_objects(execution.get("retrievalHits")), start=1):
        rank, url = hit.get("rank"), hit.get("webUrl")
        texts = (extract.get("text") for extract in _objects(hit.get("extracts")))
        yield _Hit(
            rank=rank if isinstance(rank, (int, float)) and not isinstance(rank, bool) else place,
            url=url if isinstance(url, str) else None,
            extracts=tuple(text for text in texts if isinstance(text, str)),
        )


def _has_failed(execution: Object) -> bool:
    status = execution.get("status")
    return isinstance(status, str) and status.strip().lower().replace("_", "").replace(" ", "") in _FAILED


def _none_matched(selector: str, queries: Sequence[str]) -> str:
    others = f"; searched for {listing(queries)}" if queries else "; no query text is reported"
    return f"no query contains {quote(selector)}{others}"


def _out_of_scope(reported: Sequence[Object], capability: str | None) -> str:
    if not reported:
        return "the agent reports that it made no search"
    others = sorted({str(each.get("capability")) for each in _objects(reported)})
    return f"no search of capability {quote(capability or '')} is reported; reported: {listing(others)}"
