"""How much of an upload is read before it is refused."""

from dataclasses import dataclass

from evaluation.core.source.lexer import LIMIT_SOURCE_BYTES


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers that readers obey; the names say the unit, every bound is inclusive."""

    kernel_bytes: int = LIMIT_SOURCE_BYTES
    document_bytes: int = 64 << 20
    archive_bytes: int = 1 << 30
    members: int = 50_000
    expanded_bytes: int = 8 << 30
    ratio: int = 200
    # An honest archive may begin with some megabytes of zeros, and a tiny one may hold one empty log.
    ratio_grace_bytes: int = 16 << 20
    json_events: int = 2_000_000
    json_depth: int = 64
    # As text in memory a string takes up to four times its bytes, and more than one copy while it is decoded.
    string_bytes: int = 8 << 20
    key_bytes: int = 4096
    open_keys: int = 200_000
    number_bytes: int = 100
    # What one built value may take in memory, estimated: two million events can be a gigabyte of small objects.
    picked_bytes: int = 64 << 20
    name_bytes: int = 1024
    gzip_parts: int = 10_000
    secrets: int = 100_000
