"""Acts of recordings to the steps of a plan: numbers for memory and tensor maps, names used."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from evaluation.core.binary.facts import CubinFacts
from evaluation.core.plan.plan import (
    AllocStep,
    Assumption,
    FreeStep,
    LaunchAttribute,
    LaunchStep,
    MapEncode,
    MapStep,
    MapUse,
    Place,
    Plan,
    Relocation,
    Space,
    Step,
    Template,
    direct_places,
    filled,
    template_of,
)
from evaluation.core.plan.plan_names import (
    function_names,
    state_functions,
    state_symbols,
    symbol_names,
)
from evaluation.core.quoting import quoted
from evaluation.core.record.acts import Act, Acts
from evaluation.core.record.assumptions import that_stand
from evaluation.core.record.merging import name_of
from evaluation.core.record.record_limits import Limits
from evaluation.core.record.record_refusal import refuse
from evaluation.core.record.record_subject import Subject
from evaluation.core.record.steady import Split

NOTE_PROGRAMMATIC = "programmatic_serialization_dropped"
NOTE_DROPPED = "launch_attribute_dropped"


def build_plan(
    parts: Split,
    acts: Acts,
    told: tuple[Assumption, ...],
    limits: Limits,
    subject: Subject,
) -> Plan:
    """Number and name everything; of what the host was ``told``, keep what stands after all steps.

    Raise Refusal where set-up uses what only a call has.
    """
    numbers = _Numbers()
    setup: list[Step] = [AllocStep(numbers.new(life.label), life.size) for life in acts.kept]
    maps: dict[MapEncode, int] = {}
    for part in (parts.loading, parts.first):
        numbers.forget_calls()
        setup += _steps(part, numbers, maps)
    numbers.forget_calls()
    steady = _steps(parts.steady, numbers, {})
    notes = {NOTE_DROPPED} if acts.dropped else set()
    for steps in (setup, steady):
        notes.update(_drop_first_programmatic(steps))
    whole = (*setup, *steady)
    _refuse_unknown_symbols(whole, subject.cubin)
    return Plan(
        problem=subject.problem,
        problem_version=subject.problem_version,
        target=subject.target,
        device=subject.table.product,
        toolchain=subject.toolchain,
        cubin_sha256=subject.cubin_sha256,
        arguments=subject.arguments,
        functions=state_functions(subject.cubin, function_names(whole)),
        symbols=state_symbols(subject.cubin, symbol_names(whole)),
        assumptions=that_stand(told, whole, subject),
        setup=tuple(setup),
        steady=tuple(steady),
        notes=tuple(sorted(notes)),
        stack_bytes=limits.stack_bytes,
        heap_bytes=limits.heap_bytes,
    )


@dataclass(slots=True)
class _Numbers:
    """Labels of ``lifetimes`` to numbers of a plan; negative labels hold inside one call only."""

    labels: dict[int, int] = field(default_factory=dict)
    next: int = 0

    def new(self, label: int) -> int:
        self.labels[label] = self.next
        self.next += 1
        return self.labels[label]

    def forget_calls(self) -> None:
        for label in [label for label in self.labels if label < 0]:
            del self.labels[label]

    def of(self, label: int, step: Step) -> int:
        number = self.labels.get(label)
        if number is None:
            raise refuse(
                f"the first call alone uses memory that every call allocates: {name_of(step)}",
                rule="L2",
                instead="repeat in every call what that memory needs",
            )
        return number


def _steps(acts: Iterable[Act], numbers: _Numbers, maps: dict[MapEncode, int]) -> list[Step]:
    """Give the steps of acts, each tensor map as a step of its own before its first use."""
    steps: list[Step] = []
    for act in acts:
        uses = []
        for used in act.maps:
            encode = replace(used.encode, address=_place(used.encode.address, numbers, act.step))
            if encode not in maps:
                maps[encode] = len(maps)
                steps.append(MapStep(maps[encode], encode))
            uses.append(MapUse(used.at, maps[encode]))
        steps.append(_step(act.step, numbers, tuple(uses)))
    return steps


def _step(step: Step, numbers: _Numbers, maps: tuple[MapUse, ...]) -> Step:
    if isinstance(step, AllocStep):
        return AllocStep(numbers.new(step.allocation), step.size)
    if isinstance(step, FreeStep):
        return FreeStep(numbers.of(step.allocation, step))
    places = tuple(_place(place, numbers, step) for place in direct_places(step))
    template = template_of(step)
    if template is not None:
        relocations = tuple(
            Relocation(one.at, _place(one.to, numbers, step)) for one in template.relocations
        )
        template = Template(template.content, relocations, maps)
    return filled(step, places, template)


def _place(place: Place, numbers: _Numbers, step: Step) -> Place:
    return tuple(
        replace(one, number=numbers.of(one.number, step)) if one.space is Space.ALLOCATION else one
        for one in place
    )


def _drop_first_programmatic(steps: list[Step]) -> tuple[str, ...]:
    """Take programmatic serialization off the first launch of a list: nothing is before it (S8)."""
    for index, step in enumerate(steps):
        if isinstance(step, LaunchStep):
            unwanted = LaunchAttribute.PROGRAMMATIC_SERIALIZATION
            settings = tuple(one for one in step.settings if one.attribute is not unwanted)
            changed = settings != step.settings
            steps[index] = replace(step, settings=settings)
            return (NOTE_PROGRAMMATIC,) if changed else ()
    return ()


def _refuse_unknown_symbols(steps: Iterable[Step], cubin: CubinFacts) -> None:
    known = {one.name for one in cubin.symbols}
    for name in sorted(symbol_names(steps) - known):
        raise refuse(f"uses a symbol that is not in the cubin: {quoted(name)}", rule="T4")
