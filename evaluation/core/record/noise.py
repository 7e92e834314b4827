"""Padding of arguments where the disassembly cannot tell what is read (rule L3).

Recordings with the bases of the first one and random process addresses show which bytes no one
set: they vary. A byte that varies for one launch of a kernel is padding in all of them.
"""

from collections.abc import Iterator, Mapping

from evaluation.core.record.map_tokens import BrokenToken, find_tokens, without_tokens
from evaluation.core.record.parameter_masks import Mask, may_hold_padding, with_noise
from evaluation.core.record.record_refusal import refuse
from evaluation.core.record.record_subject import Subject
from evaluation.core.record.recording import Encode, Launch, Recording
from evaluation.core.record.regions import Regions
from evaluation.core.record.relocation import differences


def functions_with_padding(first: Recording, regions: Regions, subject: Subject) -> tuple[str, ...]:
    """Name the kernels whose launches may carry bytes that no one set and no mask removes."""
    known = _maps(first)
    found: set[str] = set()
    for launch in _launches(first):
        function = subject.cubin.function(launch.function)
        if function is None or function.name in found:
            continue
        origin = function.parameter_base
        held = find_tokens(launch.parameters, first.nonce, known=known, origin=origin)
        tokens = () if isinstance(held, BrokenToken) else held
        reads = subject.reads_of(function.name)
        if may_hold_padding(function, reads, launch, tokens, regions):
            found.add(function.name)
    return tuple(sorted(found))


def noise_masks(
    first: Recording,
    noise: tuple[Recording, ...],
    masks: Mapping[str, Mask],
    subject: Subject,
) -> dict[str, Mask]:
    """Drop from the masks what varies between recordings of equal bases.

    Raise Refusal if they launch different kernels.
    """
    wanted = tuple(launch.function for launch in _launches(first))
    blocks = list(_blocks(first, subject))
    varied = {name: bytes(len(mask.keep)) for name, mask in masks.items()}
    for other in noise:
        if tuple(launch.function for launch in _launches(other)) != wanted:
            raise refuse(
                "two runs with the same arguments launch different kernels",
                rule="L3",
                instead="let host code depend on nothing but the arguments of run",
            )
        for name, here, there in zip(wanted, blocks, _blocks(other, subject), strict=True):
            if name in varied and len(here) == len(there) == len(varied[name]):
                varied[name] = _either(varied[name], differences(here, there))
    return {
        name: mask if _is_exact(subject, name) else with_noise(mask, varied[name])
        for name, mask in masks.items()
    }


def _blocks(recording: Recording, subject: Subject) -> Iterator[bytes]:
    """Give every parameter block without its tensor maps, whose nonce may be another."""
    known = _maps(recording)
    for launch in _launches(recording):
        function = subject.cubin.function(launch.function)
        origin = function.parameter_base if function else 0
        held = find_tokens(launch.parameters, recording.nonce, known=known, origin=origin)
        whole = () if isinstance(held, BrokenToken) else held
        yield without_tokens(launch.parameters, whole)


def _launches(recording: Recording) -> Iterator[Launch]:
    return (event for event in recording.events if isinstance(event, Launch))


def _maps(recording: Recording) -> int:
    return sum(isinstance(event, Encode) for event in recording.events)


def _is_exact(subject: Subject, name: str) -> bool:
    reads = subject.reads_of(name)
    return reads is not None and reads.exact


def _either(one: bytes, other: bytes) -> bytes:
    both = int.from_bytes(one, "little") | int.from_bytes(other, "little")
    return both.to_bytes(len(one), "little")
