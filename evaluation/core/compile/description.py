"""How a build was made, as evidence: tools with their versions, and every command line with its environment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One run of a tool inside the jail; ``part`` says which jail."""

    part: str
    step: str
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """``toolchain`` is the toolchain id, which covers every byte of the tools; the versions are for people."""

    toolchain: str
    packages: tuple[tuple[str, str], ...]
    host_tools: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    commands: tuple[Command, ...]
