"""What two processes did in the same call, in the words of a plan.

An act is one thing a call did on the device. Allocations have the labels of ``lifetimes``. Tensor
maps are values here, not events: host code that keeps its maps in a cache does the same in every
call as host code that encodes them anew.
"""

from dataclasses import dataclass, replace

from evaluation.core.binary.facts import KernelFunction
from evaluation.core.plan.plan import (
    AllocStep,
    AttributeStep,
    CopyStep,
    FreeStep,
    LaunchStep,
    MemsetStep,
    PayloadStep,
    Step,
)
from evaluation.core.quoting import quoted
from evaluation.core.record.acts_places import Places, UsedMap
from evaluation.core.record.launch_options import read_options
from evaluation.core.record.lifetimes import Lifetime, lifetimes
from evaluation.core.record.parameter_masks import Mask
from evaluation.core.record.record_refusal import Refusal, refuse
from evaluation.core.record.record_subject import Subject
from evaluation.core.record.recording import (
    Alloc,
    AllocKind,
    Attribute,
    Call,
    Copy,
    Encode,
    Event,
    Free,
    Launch,
    Memset,
    Payload,
    Recording,
)
from evaluation.core.record.regions import Regions
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage

Deed = Alloc | Free | Attribute | Memset | Payload | Copy | Encode | Launch
"""The events that change what a device does; all others are read elsewhere."""


@dataclass(frozen=True, slots=True)
class Act:
    """One step with the tensor maps that its bytes hold; its template names none by number."""

    step: Step
    maps: tuple[UsedMap, ...] = ()


@dataclass(frozen=True, slots=True)
class CallActs:
    number: int
    acts: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class Acts:
    """Every call, loading first; allocations that outlive their call stand in ``kept`` instead."""

    calls: tuple[CallActs, ...]
    kept: tuple[Lifetime, ...]
    dropped: tuple[str, ...]  # launch attributes that no plan holds and no result needs


def pair_acts(
    first: Recording,
    second: Recording,
    regions: Regions,
    subject: Subject,
    masks: dict[str, Mask],
) -> Acts:
    """Read two recordings side by side. Raise Refusal where they differ beyond their bases."""
    lives = lifetimes(first.calls)
    places = Places(first, second, regions, lives, first.calls[0])
    pairing = _Pairing(subject, masks, places, set(), set())
    calls = tuple(
        CallActs(one.number, pairing.call(one, other))
        for one, other in zip(first.calls, second.calls, strict=True)
    )
    kept = tuple(life for life in lives.values() if life.is_kept)
    return Acts(calls, kept, tuple(sorted(pairing.dropped)))


@dataclass(slots=True)
class _Pairing:
    subject: Subject
    masks: dict[str, Mask]
    places: Places
    host: set[int]  # allocation numbers that are memory of the author's process
    dropped: set[str]

    def call(self, one: Call, other: Call) -> tuple[Act, ...]:
        self.places.enter(one)
        mine, theirs = self._deeds(one.events), self._deeds(other.events)
        for here, there in zip(mine, theirs, strict=False):
            if type(here) is not type(there):
                raise _unsteady(one.number, f"{_word(here)} in one, {_word(there)} in the other")
        if len(mine) != len(theirs):
            rest = max(mine, theirs, key=len)[min(len(mine), len(theirs))]
            raise _unsteady(one.number, f"{_word(rest)} in one of them only")
        acts = (self._act(here, there) for here, there in zip(mine, theirs, strict=True))
        return tuple(act for act in acts if act is not None)

    def _deeds(self, events: tuple[Event, ...]) -> list[Deed]:
        deeds: list[Deed] = []
        for event in events:
            if isinstance(event, Alloc) and event.kind is AllocKind.HOST:
                self.host.add(event.number)
            elif isinstance(event, Free) and event.number in self.host:
                continue
            elif isinstance(event, Deed):
                deeds.append(event)
        return deeds

    def _act(self, here: Deed, there: Deed) -> Act | None:
        """Give the act of one pair, or None for a tensor map, kept memory and work on no bytes."""
        match here, there:
            case Alloc(), Alloc():
                self._same(here, replace(there, base=here.base))
                life = self.places.lives[here.number]
                return None if life.is_kept else Act(AllocStep(life.label, life.size))
            case Free(), Free():
                self._same(here, there)
                return Act(FreeStep(self.places.free(here.number)))
            case Attribute(), Attribute():
                self._same(here, there)
                self._function(here.function)
                return Act(AttributeStep(here.function, here.attribute, here.value))
            case Encode(), Encode():
                self.places.encode(here, there)
                return None
            case Launch(), Launch():
                return self._launch(here, there)
            case _:
                return self._transfer(here, there)

    def _transfer(self, here: Deed, there: Deed) -> Act | None:
        match here, there:
            case Memset(), Memset():
                self._same(here, replace(there, destination=here.destination))
                return self._memset(here, there)
            case Payload(), Payload():
                self._same(here, replace(there, destination=here.destination, content=here.content))
                return self._payload(here, there)
            case _:
                assert isinstance(here, Copy)
                assert isinstance(there, Copy)
                self._same(here, replace(there, destination=here.destination, source=here.source))
                return self._copy(here, there)

    def _memset(self, here: Memset, there: Memset) -> Act | None:
        if not here.columns * here.rows:
            return None
        place = self.places.place(here.destination, there.destination, "the memset")
        return Act(MemsetStep(place, here.value, here.width, here.columns, here.rows, here.pitch))

    def _payload(self, here: Payload, there: Payload) -> Act | None:
        if not here.content:
            return None
        about = "the host-to-device copy"
        place = self.places.place(here.destination, there.destination, about)
        template, maps = self.places.template(
            here.content, there.content, lambda at: f"{about}, byte {at}"
        )
        return Act(PayloadStep(place, template, here.columns, here.rows, here.pitch), maps)

    def _copy(self, here: Copy, there: Copy) -> Act | None:
        if not here.columns * here.rows:
            return None
        about = "the device copy"
        return Act(
            CopyStep(
                destination=self.places.place(here.destination, there.destination, about),
                source=self.places.place(here.source, there.source, about),
                columns=here.columns,
                rows=here.rows,
                destination_pitch=here.destination_pitch,
                source_pitch=here.source_pitch,
            )
        )

    def _launch(self, here: Launch, there: Launch) -> Act:
        self._same(here, replace(there, parameters=here.parameters))
        function = self._function(here.function)
        if not len(here.parameters) == len(there.parameters) == function.parameter_bytes:
            raise refuse(
                f"the launch of {quoted(here.function)} passes {len(here.parameters)} bytes of "
                f"parameters; the cubin says {function.parameter_bytes}",
                rule="T4",
            )
        options = read_options(here)
        self.dropped.update(options.dropped)
        mask = self.masks[here.function]
        template, maps = self.places.parameters(here, there, function, mask)
        step = LaunchStep(
            function=here.function,
            grid=here.grid,
            block=here.block,
            shared=here.shared,
            cooperative=options.cooperative,
            settings=options.settings,
            parameters=template,
            undetermined=mask.undetermined,
        )
        return Act(step, maps)

    def _function(self, name: str) -> KernelFunction:
        function = self.subject.cubin.function(name)
        if function is None:
            headline = f"names a kernel that is not in the cubin: {quoted(name)}"
            foreign = Signal(
                kind="foreign_kernel",
                version=1,
                severity=Severity.HOLD,
                stage=Stage.RECORD,
                sentence="The recording names a kernel that this build did not make.",
                evidence=(quoted(name),),
            )
            raise refuse(headline, rule="R4", signals=(foreign,))
        return function

    def _same(self, here: Deed, there: Deed) -> None:
        """Refuse two deeds that differ in more than the addresses taken out before."""
        if here != there:
            what = _word(here)
            fields = [
                name for name in here.__slots__ if getattr(here, name) != getattr(there, name)
            ]
            raise _unsteady(self.places.call.number, f"{what} with another {fields[0]}")


def _word(deed: Deed) -> str:
    match deed:
        case Launch(function=function):
            return f"a launch of {quoted(function)}"
        case Encode():
            return "a tensor map"
        case Payload():
            return "a host-to-device copy"
        case Attribute():
            return "a function attribute"
        case Copy():
            return "a device copy"
        case _:
            return {Alloc: "an allocation", Free: "a free", Memset: "a memset"}[type(deed)]


def _unsteady(call: int, what: str) -> Refusal:
    where = "while loading" if call == 0 else f"in call {call}"
    return refuse(
        f"two runs with the same arguments differ {where}: {what}",
        rule="L1",
        instead="let host code depend on nothing but the arguments of run",
    )
