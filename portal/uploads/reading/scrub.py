"""Secrets taken out of text before anything is stored: counted and located, their values kept nowhere."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from portal.uploads.reading.secret_patterns import ANY_GATE, BY_GATE, Rule, Secret

__all__ = ["Found", "Scrubbed", "Secret", "is_placeholder", "mark", "scrub"]

# So many places are named; the rest is only counted.
LOCATED = 100
# No secret that any rule knows is shorter.
_SHORTEST = 8
_SHORT = 64
_PLACEHOLDER_CHARACTERS = 120
_PLACEHOLDER = re.compile(
    r"[*.xX•]{3,}|<.*>|\{.*\}|\[.*\]|%.*%|[^A-Za-z0-9]*|\$\{.*\}|\$\(.*\)|\$[A-Z_][A-Z0-9_]*"
    r"|(?i:your[-_ ].*|redacted|removed|hidden|masked|secret|password|passwd|token|changeme|none|null|empty|unset)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Found:
    """One secret that was taken out, and where it stood: a line of a text, or a path in a document."""

    kind: Secret
    where: str


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """The text without its secrets; ``found`` locates the first hundred of ``total``."""

    text: str
    found: tuple[Found, ...] = ()
    total: int = 0

    @property
    def changed(self) -> bool:
        return self.total > 0


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    kind: Secret


_ORDER = {kind: order for order, kind in enumerate(Secret)}


def mark(kind: Secret) -> str:
    """What stands in the place of a secret."""
    return f"[scrubbed:{kind}]"


def is_placeholder(value: str) -> bool:
    """Whether the value stands for a secret and is none: empty, masked, a variable, or already taken out."""
    return (
        len(value) <= _PLACEHOLDER_CHARACTERS and _PLACEHOLDER.fullmatch(value.strip()) is not None
    )


def scrub(text: str) -> Scrubbed:
    """The text with a mark in the place of each secret; the same text when there is none."""
    spans = _merged([span for rule in _open_rules(text) for span in _spans(text, rule)])
    if not spans:
        return Scrubbed(text)
    parts: list[str] = []
    found: list[Found] = []
    at = 0
    line = 1
    for span in spans:
        kept = text[at : span.start]
        line += kept.count("\n")
        if len(found) < LOCATED:
            found.append(Found(span.kind, f"line {line}"))
        line += text.count("\n", span.start, span.end)
        parts += (kept, mark(span.kind))
        at = span.end
    return Scrubbed("".join((*parts, text[at:])), tuple(found), len(spans))


def _open_rules(text: str) -> Iterable[Rule]:
    """The rules that may find something, each once."""
    if len(text) < _SHORTEST or (len(text) < _SHORT and ANY_GATE.search(text) is None):
        return ()
    return dict.fromkeys(rule for gate in BY_GATE if gate in text for rule in BY_GATE[gate])


def _spans(text: str, rule: Rule) -> Iterator[_Span]:
    for anchor in rule.anchors:
        at = text.find(anchor)
        while at >= 0:
            next_at = at + len(anchor)
            match = rule.pattern.match(text, at)
            if match is not None:
                start, end = _value(match)
                if not is_placeholder(text[start:end]):
                    yield _Span(start, end, rule.kind)
                next_at = max(next_at, end)
            at = text.find(anchor, next_at)


def _value(match: re.Match[str]) -> tuple[int, int]:
    """The span of the secret itself, which may be only a part of what tells it."""
    for group in ("value", "bare"):
        if group in match.re.groupindex and match[group] is not None:
            return match.span(group)
    return match.span()


def _merged(spans: list[_Span]) -> list[_Span]:
    """Spans in order and apart; those that overlap are one, of the most telling kind."""
    merged: list[_Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if merged and span.start < merged[-1].end:
            last = merged.pop()
            kind = min(last.kind, span.kind, key=_ORDER.__getitem__)
            merged.append(_Span(last.start, max(last.end, span.end), kind))
        else:
            merged.append(span)
    return merged
