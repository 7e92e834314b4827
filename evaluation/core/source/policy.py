"""The policy stage: what a source says, before anything of it is compiled or run."""

from collections.abc import Iterable, Iterator

from evaluation.core.library_names import ENTRY
from evaluation.core.quoting import counted
from evaluation.core.records import Fact, Remark, StageReport
from evaluation.core.signal import Signal
from evaluation.core.source import policy_characters, policy_includes, policy_names
from evaluation.core.source.directives import Line, macros, split
from evaluation.core.source.lexer import LIMIT_SOURCE_BYTES, Lexed, Problem, TokenKind, lex
from evaluation.core.source.policy_pasting import pasted
from evaluation.core.source.policy_probes import hiding_comments, probes
from evaluation.core.source.policy_reprint import misread
from evaluation.core.source.policy_rules import SIGNALS, Sighting
from evaluation.core.source.policy_strings import strings
from evaluation.core.source.splices import Spliced, splice
from evaluation.core.verdict import Language, Stage, Verdict

LIMIT_REMARKS = 50
LIMIT_EVIDENCE = 8  # lines of one signal
LIMIT_LINE_CHARACTERS = 120

_EXPORTS = frozenset({"TVM_FFI_DLL_EXPORT_TYPED_FUNC", ENTRY})
_TRIVIA = frozenset({TokenKind.COMMENT, TokenKind.NEWLINE})


def review(
    source: bytes, *, language: Language, limit_bytes: int = LIMIT_SOURCE_BYTES
) -> StageReport:
    """Judge the text of one submitted source. Pure, never raises, time linear in the source."""
    if language is not Language.CUDA:
        return _ended(
            Verdict.NOT_RECORDABLE,
            Remark(
                "source-language",
                "Triton sources are not judged by this version",
                "Submit the kernel as CUDA C++.",
            ),
        )
    refusal = _refuse_bytes(source, limit_bytes)
    if refusal is not None:
        return _ended(Verdict.POLICY_REJECTED, refusal)
    lexed = lex(source, limit_bytes=limit_bytes)
    if any(one.problem is Problem.TOO_MANY_TOKENS for one in lexed.problems):
        return _ended(
            Verdict.POLICY_REJECTED,
            Remark("source-tokens", "the source has too many tokens", "Shorten it."),
        )
    if all(token.kind in _TRIVIA for token in lexed.tokens):
        return _ended(
            Verdict.NO_KERNEL,
            Remark("source-empty", "the source holds no code", "Submit a kernel."),
        )
    return _reviewed(source, lexed)


def _refuse_bytes(source: bytes, limit_bytes: int) -> Remark | None:
    if len(source) > limit_bytes:
        message = f"the source has {len(source)} bytes; the limit is {limit_bytes}"
        return Remark("source-size", message, "Shorten it; data tables belong into device code.")
    nul = source.find(b"\0")
    if nul >= 0:
        before = source[:nul].decode("utf-8", "surrogateescape")
        line, column = splice(source).place(len(before))
        return Remark("source-nul", "the source holds a NUL byte", "Remove it.", line, column)
    return None


def _ended(verdict: Verdict, remark: Remark) -> StageReport:
    return StageReport(Stage.POLICY, remark.message, verdict, remarks=(remark,))


def _reviewed(source: bytes, lexed: Lexed) -> StageReport:
    lines = split(lexed.tokens)
    found = tuple(_found(lexed, lines))
    rejections = sorted(
        (one for one in found if isinstance(one, Remark)), key=lambda one: (one.line, one.column)
    )
    signals = _signals(lexed.source, [one for one in found if isinstance(one, Sighting)])
    includes = policy_includes.included(lines)
    facts = (
        Fact("source_bytes", len(source), "bytes"),
        Fact("source_lines", lexed.source.lines),
        Fact("source_tokens", sum(one.kind not in _TRIVIA for one in lexed.tokens)),
        Fact("includes", len(includes)),
    )
    if rejections:
        first = rejections[0]
        return StageReport(
            Stage.POLICY,
            f"line {first.line}: {first.message}",
            Verdict.POLICY_REJECTED,
            remarks=_bounded(rejections),
            signals=signals,
            facts=facts,
        )
    return StageReport(
        Stage.POLICY,
        f"{counted(len(includes), 'include')}, all allowed; {counted(len(signals), 'signal')}",
        remarks=tuple(_advice(lexed)),
        signals=signals,
        facts=facts,
    )


def _found(lexed: Lexed, lines: tuple[Line, ...]) -> Iterator[Remark | Sighting]:
    defined = macros(lines)
    yield from policy_includes.directives(lines)
    yield from policy_includes.hidden(lines, defined)
    yield from misread(lines)
    yield from probes(lines, defined)
    yield from hiding_comments(lexed.tokens)
    yield from policy_names.names(lines)
    yield from policy_names.attributes(lines)
    yield from policy_names.pragmas(lines)
    yield from strings(lines, defined)
    yield from pasted(lines, defined)
    yield from policy_characters.problems(lexed)
    yield from policy_characters.characters(lexed)


def _bounded(rejections: list[Remark]) -> tuple[Remark, ...]:
    shown = tuple(rejections[:LIMIT_REMARKS])
    more = len(rejections) - len(shown)
    if not more:
        return shown
    rule = rejections[LIMIT_REMARKS].rule
    return (*shown, Remark(rule, f"and {more} more places that are rejected", shown[0].instead))


def _advice(lexed: Lexed) -> Iterator[Remark]:
    if not any(token.spelling in _EXPORTS for token in lexed.tokens):
        yield Remark(
            "export-missing",
            "no exported entry was found in the text",
            "Add TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, <function>); at the end of the file.",
        )


def _signals(source: Spliced, sightings: list[Sighting]) -> tuple[Signal, ...]:
    """Make one signal of each kind that was seen, in the order of the rules."""
    return tuple(
        Signal(
            kind=rule.kind,
            version=rule.version,
            severity=rule.severity,
            stage=Stage.POLICY,
            sentence=rule.sentence,
            evidence=evidence,
        )
        for rule in SIGNALS
        if (evidence := _evidence(source, [one for one in sightings if one.kind == rule.kind]))
    )


def _evidence(source: Spliced, sightings: Iterable[Sighting]) -> tuple[str, ...]:
    places = sorted({(one.line, one.shown) for one in sightings})
    shown = tuple(_evidence_line(source, line, said) for line, said in places[:LIMIT_EVIDENCE])
    more = len(places) - len(shown)
    return (*shown, f"and {more} more places") if more else shown


def _evidence_line(source: Spliced, line: int, said: str) -> str:
    text = _printable(source.line(line).strip())
    there = said and said not in text
    return f"line {line}: {text} ({_printable(said)})" if there else f"line {line}: {text}"


def _printable(text: str) -> str:
    """Bound a text and replace what does not print; the page shows it as it is."""
    head = text[:LIMIT_LINE_CHARACTERS]
    clean = "".join(one if one.isprintable() else "?" for one in head)
    return clean + "..." if len(text) > len(head) else clean
