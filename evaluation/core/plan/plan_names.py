"""Which kernels and symbols a plan names, and how it states them from the cubin."""

from collections.abc import Iterable

from evaluation.core.binary.facts import CubinFacts
from evaluation.core.plan.plan import (
    AttributeStep,
    ByteRange,
    LaunchStep,
    PlanFunction,
    PlanSymbol,
    Space,
    Step,
    addresses,
)


def function_names(steps: Iterable[Step]) -> set[str]:
    return {step.function for step in steps if isinstance(step, LaunchStep | AttributeStep)}


def symbol_names(steps: Iterable[Step]) -> set[str]:
    return {
        address.name
        for step in steps
        for address in addresses(step)
        if address.space is Space.SYMBOL
    }


def state_functions(cubin: CubinFacts, names: set[str]) -> tuple[PlanFunction, ...]:
    """State those of ``names`` that the cubin has, in the order of their names."""
    return tuple(
        PlanFunction(
            one.name, tuple(ByteRange(p.offset, p.offset + p.size) for p in one.parameters)
        )
        for one in sorted(cubin.functions, key=lambda function: function.name)
        if one.name in names
    )


def state_symbols(cubin: CubinFacts, names: set[str]) -> tuple[PlanSymbol, ...]:
    """State those of ``names`` that the cubin has, in the order of their names."""
    return tuple(
        PlanSymbol(one.name, one.space, one.size)
        for one in sorted(cubin.symbols, key=lambda symbol: symbol.name)
        if one.name in names
    )
