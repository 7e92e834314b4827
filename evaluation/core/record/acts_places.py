"""Addresses and bytes of one call to places and templates of a plan (rules L1, L2, L4, L9).

A pointer is read relative to the call that uses it: one into the buffers of another call is stale,
whatever the host code kept it in, and no replay could follow it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from evaluation.core.binary.facts import KernelFunction
from evaluation.core.plan.plan import Address, MapEncode, Place, Relocation, Space, Template
from evaluation.core.quoting import quoted
from evaluation.core.record.lifetimes import Lifetime
from evaluation.core.record.map_tokens import HeldMap
from evaluation.core.record.parameter_masks import Mask
from evaluation.core.record.record_refusal import Refusal, refuse
from evaluation.core.record.recording import Call, Encode, Launch, Recording
from evaluation.core.record.regions import Regions, Spot, explain
from evaluation.core.record.relocation import (
    POINTER_BYTES,
    Ground,
    Relocated,
    Unexplained,
    relocate,
)

_WHOLE = "pass pointers whole and unchanged, and set every byte of a struct passed by value (= {})"
_ANEW = "build what holds a pointer to an argument anew in each call"


@dataclass(frozen=True, slots=True)
class UsedMap:
    """A tensor map in the bytes of an act; its address is relative to the call of the act."""

    at: int
    encode: MapEncode


@dataclass(frozen=True, slots=True)
class _Encoded:
    """A tensor map of both recordings; without a ``spot`` it holds what ``why`` says."""

    encode: MapEncode
    spot: Spot | None
    why: str


@dataclass(slots=True)
class Places:
    """Walks through the calls of two recordings with their ranges, lives and maps in mind."""

    first: Recording
    second: Recording
    regions: Regions
    lives: Mapping[int, Lifetime]
    call: Call
    maps: list[_Encoded] = field(default_factory=list)
    freed: set[int] = field(default_factory=set)

    def enter(self, call: Call) -> None:
        self.call = call

    def free(self, number: int) -> int:
        """Take memory out of use and give its label."""
        self.freed.add(number)
        return self.lives[number].label

    def encode(self, here: Encode, there: Encode) -> None:
        """Keep a map for its use; what is wrong with it matters only then."""
        encode = _encode(here)
        if encode != _encode(there):
            self.maps.append(_Encoded(encode, None, "arguments that differ from run to run"))
            return
        spot = self.regions.find(here.address, there.address)
        why = "" if spot else self._no_place(here.address, there.address)
        self.maps.append(_Encoded(encode, spot, why))

    def place(self, first: int, second: int, what: str) -> Place:
        """Read an address that stands alone."""
        spot = self.regions.find(first, second)
        if spot is None:
            why = self._no_place(first, second)
            raise self._refusal(f"{what} uses {why}", rule="L1", instead=_WHOLE)
        return (self._address(spot, what),)

    def template(
        self,
        first: bytes,
        second: bytes,
        where: Callable[[int], str],
        *,
        keep: bytes | None = None,
        origin: int = 0,
    ) -> tuple[Template, tuple[UsedMap, ...]]:
        """Read bytes, through ``keep`` if given; ``where`` names the place of a byte."""
        nonces = (self.first.nonce, self.second.nonce)
        ground = Ground(self.regions, *nonces, len(self.maps), origin)
        found = relocate(first, second, ground, keep=keep)
        if isinstance(found, Unexplained):
            raise self._refusal(f"{where(found.at)} is {found.why}", rule="L1", instead=_WHOLE)
        return self._filled(found, where)

    def parameters(
        self, here: Launch, there: Launch, function: KernelFunction, mask: Mask
    ) -> tuple[Template, tuple[UsedMap, ...]]:
        """Read the parameter block of a launch through the mask of its function."""

        def where(at: int) -> str:
            return f"the launch of {quoted(here.function)}: {parameter_at(function, at)}"

        template, maps = self.template(
            here.parameters,
            there.parameters,
            where,
            keep=mask.keep,
            origin=function.parameter_base,
        )
        self._refuse_fixed_addresses(template, where)
        return template, maps

    def _filled(
        self, found: Relocated, where: Callable[[int], str]
    ) -> tuple[Template, tuple[UsedMap, ...]]:
        relocations = tuple(
            Relocation(one.at, (self._address(one.spot, where(one.at)),)) for one in found.pointers
        )
        maps = tuple(UsedMap(one.at, self._map(one, where(one.at))) for one in found.maps)
        return Template(found.content, relocations), maps

    def _map(self, held: HeldMap, what: str) -> MapEncode:
        encoded = self.maps[held.number]
        if encoded.spot is None:
            raise self._refusal(
                f"{what} is a tensor map over {encoded.why}", rule="L9", instead=_WHOLE
            )
        address = self._address(encoded.spot, f"{what}: a tensor map")
        return replace(encoded.encode, address=(address,))

    def _address(self, spot: Spot, what: str) -> Address:
        owner = spot.owner
        if owner.space is Space.ALLOCATION:
            if owner.number in self.freed:
                raise self._refusal(
                    f"{what} uses allocation {owner.number} after it was freed", rule="L2"
                )
            return Address(owner.space, self.lives[owner.number].label, "", spot.offset)
        if owner.space is Space.ARGUMENT and (
            self.call.number == 0 or owner.buffer_set != self.call.buffer_set
        ):
            name = self.regions.describe(owner)
            raise self._refusal(
                f"{what} uses a pointer to {name} from an earlier call", rule="L2", instead=_ANEW
            )
        return Address(owner.space, owner.number, owner.name, spot.offset)

    def _refuse_fixed_addresses(self, template: Template, where: Callable[[int], str]) -> None:
        """Refuse a value that lies in the same range of both processes without having moved.

        Host memory is an honest mistake: the device cannot reach it. In device memory it cannot
        happen, since every base moves.
        """
        content = template.content
        for at in range(0, len(content) - POINTER_BYTES + 1, POINTER_BYTES):
            value = int.from_bytes(content[at : at + POINTER_BYTES], "little")
            if not value:
                continue
            if self.regions.host_at(value, value) is not None:
                raise self._refusal(
                    f"{where(at)} is a pointer to host memory",
                    rule="L10",
                    instead="copy to device memory and pass its pointer",
                )
            region = self.regions.first_at(value)
            if region is not None and region.holds_second(value):
                name = self.regions.describe(region.owner)
                raise self._refusal(f"{where(at)} is a fixed address inside {name}", rule="L1")

    def _no_place(self, first: int, second: int) -> str:
        if first == second:
            return "an address that is no device memory" if first else "a null pointer"
        return explain(self.regions, ((first, second),))

    def _refusal(self, what: str, *, rule: str, instead: str = "") -> Refusal:
        number = self.call.number
        headline = f"while loading, {what}" if number == 0 else f"in call {number}, {what}"
        return refuse(headline, rule=rule, instead=instead)


def parameter_at(function: KernelFunction, at: int) -> str:
    """Name a byte of the parameter block for a sentence."""
    for one in function.parameters:
        if one.offset <= at < one.offset + one.size:
            return f"parameter {one.ordinal}, byte {at - one.offset}"
    return f"byte {at} of the parameters"


def _encode(event: Encode) -> MapEncode:
    """Give the arguments of a map without its address."""
    return MapEncode(
        mode=event.mode,
        data_type=event.data_type,
        address=(),
        dims=event.dims,
        strides=event.strides,
        box=event.box,
        element_strides=event.element_strides,
        interleave=event.interleave,
        swizzle=event.swizzle,
        l2=event.l2,
        fill=event.fill,
        lower=event.lower,
        upper=event.upper,
        channels=event.channels,
        pixels=event.pixels,
    )
