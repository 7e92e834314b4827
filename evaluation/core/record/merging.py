"""One step as many calls made it, to one step of a plan (rules L8 and L14)."""

from dataclasses import dataclass, fields, replace

from evaluation.core.binary.facts import CubinFacts
from evaluation.core.plan.plan import (
    LIMIT_CYCLE,
    Address,
    AllocStep,
    AttributeStep,
    CopyStep,
    FreeStep,
    LaunchStep,
    MapEncode,
    MemsetStep,
    PayloadStep,
    Place,
    Relocation,
    Space,
    Step,
    Stepping,
    Template,
    direct_places,
    filled,
    template_of,
)
from evaluation.core.quoting import quoted
from evaluation.core.record.acts import Act
from evaluation.core.record.acts_places import UsedMap, parameter_at
from evaluation.core.record.record_refusal import Refusal, refuse
from evaluation.core.record.stepping import NoRule, infer_steps

FIRST_STEADY = 2  # number of the first call that must be like all later ones

_SAME = "do the same work in every call; only a counter in a kernel argument may step"


def differs(number: int, what: str) -> Refusal:
    return refuse(f"call {number} differs: {what}", rule="L8", instead=_SAME)


_NAMES: dict[type[Step], str] = {
    AllocStep: "the allocation",
    FreeStep: "the free",
    MemsetStep: "the memset",
    PayloadStep: "the host-to-device copy",
    CopyStep: "the device copy",
}


def name_of(step: Step) -> str:
    """Name a step for a sentence."""
    match step:
        case LaunchStep(function=function):
            return f"the launch of {quoted(function)}"
        case AttributeStep(function=function):
            return f"the attribute of {quoted(function)}"
        case _:
            return _NAMES[type(step)]


def different_field(here: Step | MapEncode, there: Step | MapEncode) -> str:
    """Name the first field in which two records of one kind differ, or nothing."""
    if here == there:
        return ""
    return next(
        field.name
        for field in fields(here)
        if getattr(here, field.name) != getattr(there, field.name)
    )


def merge(column: tuple[Act, ...], cubin: CubinFacts) -> Act:
    """Make one act of those that calls 2 and up have in one place, all of one frame.

    Places become cycles, and the bytes become those of call 1 with rules for what steps. Raise
    Refusal for everything else that differs.
    """
    return _Column(column, name_of(column[0].step), cubin).merged()


def in_first_call(act: Act) -> Act:
    """Give what a merged act is in call 1, the first position of every cycle."""
    template = template_of(act.step)
    if template is not None:
        relocations = tuple(replace(one, to=one.to[:1]) for one in template.relocations)
        template = replace(template, relocations=relocations)
    places = tuple(place[:1] for place in direct_places(act.step))
    step = filled(act.step, places, template)
    if isinstance(step, LaunchStep):
        step = replace(step, stepping=())
    maps = tuple(
        UsedMap(one.at, replace(one.encode, address=one.encode.address[:1])) for one in act.maps
    )
    return Act(step, maps)


@dataclass(frozen=True, slots=True)
class _Column:
    acts: tuple[Act, ...]
    name: str
    cubin: CubinFacts

    def merged(self) -> Act:
        self._refuse_other_maps()
        steps = tuple(act.step for act in self.acts)
        places = tuple(self._cycle(one) for one in zip(*map(direct_places, steps), strict=True))
        step = steps[0]
        template, rules = self._template(tuple(map(template_of, steps)))
        step = filled(step, places, template)
        if isinstance(step, LaunchStep):
            step = replace(step, stepping=rules)
        return Act(step, self._maps())

    def _template(
        self, templates: tuple[Template | None, ...]
    ) -> tuple[Template | None, tuple[Stepping, ...]]:
        given = tuple(one for one in templates if one is not None)
        if not given:
            return None, ()
        self._refuse_other_pointers(given)
        relocations = tuple(
            Relocation(row[0].at, self._cycle(tuple(one.to for one in row)))
            for row in zip(*(one.relocations for one in given), strict=True)
        )
        content, rules = self._content(tuple(one.content for one in given))
        return Template(content, relocations), rules

    def _content(self, contents: tuple[bytes, ...]) -> tuple[bytes, tuple[Stepping, ...]]:
        step = self.acts[0].step
        if not isinstance(step, LaunchStep):
            self._refuse_others(contents, "the bytes")
            return contents[0], ()
        function = self.cubin.function(step.function)
        assert function is not None
        found = infer_steps(contents, function.parameters)
        if isinstance(found, NoRule):
            byte = tuple(one[found.at] for one in contents)
            where = parameter_at(function, found.at)
            raise differs(_odd(byte), f"{where} of {self.name}: {found.why}")
        return found.content, found.rules

    def _maps(self) -> tuple[UsedMap, ...]:
        return tuple(
            UsedMap(
                row[0].at,
                replace(row[0].encode, address=self._cycle(tuple(m.encode.address for m in row))),
            )
            for row in zip(*(act.maps for act in self.acts), strict=True)
        )

    def _cycle(self, column: tuple[Place, ...]) -> Place:
        """Find the shortest cycle of addresses that calls go round in, at least twice.

        Position 0 is that of call 1.
        """
        spots = tuple(place[0] for place in column)
        for period in range(1, LIMIT_CYCLE + 1):
            if len(spots) < 2 * period or (period > 1 and _is_argument(spots)):
                break
            if all(spots[i] == spots[i - period] for i in range(period, len(spots))):
                return tuple(spots[(position - 1) % period] for position in range(period))
        number = _odd(spots)
        here, there = _words(spots[number - FIRST_STEADY]), _words(spots[0])
        raise differs(number, f"{self.name} points to {here} where call 2 has {there}")

    def _refuse_other_pointers(self, templates: tuple[Template, ...]) -> None:
        spots = tuple(tuple(one.at for one in template.relocations) for template in templates)
        self._refuse_others(spots, "the places of pointers")

    def _refuse_other_maps(self) -> None:
        self._refuse_others(
            tuple(tuple(one.at for one in act.maps) for act in self.acts),
            "the places of tensor maps",
        )
        for row in zip(*(act.maps for act in self.acts), strict=True):
            encodes = tuple(replace(one.encode, address=()) for one in row)
            for number, encode in enumerate(encodes, start=FIRST_STEADY):
                field = different_field(encodes[0], encode)
                if field:
                    raise differs(number, f"{field} of a tensor map of {self.name}")

    def _refuse_others(self, values: tuple[object, ...], what: str) -> None:
        if any(value != values[0] for value in values):
            raise differs(_odd(values), f"{what} of {self.name}")


def _odd(values: tuple[object, ...]) -> int:
    """Give the number of the first call whose value is not that of call 2."""
    return next(
        number for number, value in enumerate(values, start=FIRST_STEADY) if value != values[0]
    )


def _is_argument(spots: tuple[Address, ...]) -> bool:
    return any(one.space is Space.ARGUMENT for one in spots)


def _words(address: Address) -> str:
    base = quoted(address.name) if address.space is Space.SYMBOL else str(address.number)
    return f"{address.space} {base} + {address.offset}"
