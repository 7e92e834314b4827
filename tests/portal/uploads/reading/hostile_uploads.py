"""Uploads made to exhaust whoever reads them, and a child process that reads one and says what it cost.

Run as a program: ``hostile_uploads.py NAME ARCHIVE`` prints how the reading ended, its seconds and its peak memory.
"""

import hashlib
import io
import itertools
import json
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tar_files import END, file, gzipped, header, padded, pax, record
from trickle import Made
from zip_files import Zipped, central, end, local, zipped

from portal.uploads.reading.archives import members
from portal.uploads.reading.json_stream import EACH, Wanted, document, picked
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import Readable, Seekable
from portal.uploads.reading.refused import Refused
from portal.uploads.reading.scrub_json import scrub_json

LIMITS = Limits()
MEGABYTE = 1 << 20


def repeated(unit: bytes, size: int, before: bytes = b"", after: bytes = b"") -> Iterator[bytes]:
    """About ``size`` bytes of one unit over and over."""
    many = unit * max(1, 65_536 // len(unit))
    return itertools.chain([before], itertools.repeat(many, size // len(many)), [after])


Pieces = Iterator[bytes]
Read = Callable[[Readable], object]


def _built(stream: Readable) -> object:
    return document(stream, LIMITS, "member")


def _picked(stream: Readable) -> object:
    return sum(1 for _ in picked(stream, [Wanted((EACH,))], LIMITS, "member"))


def _scrubbed(stream: Readable) -> object:
    return scrub_json(stream, io.BytesIO(), LIMITS, "member")


# As nearly 64 MB, or 8 MB for one string, as their units allow.
FULL = (64 << 20) - 200_000
LONGEST = (8 << 20) - 70_000


def _many_keys() -> Pieces:
    return itertools.chain([b"{"], (b'"%d":0,' % key for key in range(5_000_000)))


def _long_keys() -> Pieces:
    keys = (b'"%08d%b":0,' % (key, b"k" * 4000) for key in range(15_000))
    return itertools.chain([b"{"], keys, [b'"":0}'])


def _longest_strings_of_escapes() -> Pieces:
    strings = (repeated(rb"\ud83d\ude00", LONGEST, b'"', b'",') for _ in range(7))
    return itertools.chain([b"["], itertools.chain.from_iterable(strings), [b"1]"])


# What a document is made of, and who reads it.
DOCUMENTS: dict[str, tuple[Callable[[], Pieces], Read]] = {
    "event flood": (lambda: repeated(b"1,", FULL, b"[", b"1]"), _picked),
    "empty arrays": (lambda: repeated(b"[],", FULL, b"[", b"1]"), _built),
    "small objects": (lambda: repeated(b'{"a":1},', FULL, b"[", b"1]"), _built),
    "wide strings": (lambda: repeated('"😀abcdefghijkl",'.encode(), FULL, b"[", b"1]"), _built),
    "one string with one emoji": (lambda: repeated(b"a", FULL, '["😀'.encode(), b'"]'), _built),
    "longest string with one emoji": (
        lambda: repeated(b"a", LONGEST, '["😀'.encode(), b'"]'),
        _scrubbed,
    ),
    "longest strings of escapes": (_longest_strings_of_escapes, _scrubbed),
    "deep arrays": (lambda: repeated(b"[", FULL), _built),
    "deep objects": (lambda: repeated(b'{"a":', FULL), _built),
    "many keys": (_many_keys, _picked),
    "long keys": (_long_keys, _picked),
    "spaces without end": (lambda: itertools.repeat(b" " * 65_536), _built),
    "digits": (lambda: repeated(b"1", FULL), _built),
    "secrets": (lambda: repeated(b'"xai-ABCDEFGH0123456789abcd",', FULL, b"[", b"1]"), _scrubbed),
}


def _deflated(content: Iterator[bytes], *, wbits: int) -> bytes:
    deflate = zlib.compressobj(9, zlib.DEFLATED, wbits)
    return b"".join(deflate.compress(piece) for piece in content) + deflate.flush()


def _gzip_bomb() -> bytes:
    size = 4 << 30
    head = header(b"run/trajectories/exp_000.json", size)
    return _deflated(
        itertools.chain([head], itertools.repeat(bytes(MEGABYTE), size // MEGABYTE // 8)), wbits=31
    )


def _zip_bomb(*, said: int | None) -> bytes:
    packed = _deflated(itertools.repeat(bytes(MEGABYTE), 512), wbits=-15)
    return zipped(Zipped(b"plan.json", b"", packed=packed, said_expanded=said))


def _overlapping() -> bytes:
    """Many members over one kernel."""
    kernel = Zipped(b"k", bytes(100_000))
    body = local(kernel)
    names = (b"%d" % number for number in range(100))
    listed = b"".join(central(replace(kernel, name=name), 0) for name in names)
    return body + listed + end(100, len(listed), len(body))


def _endless_headers() -> bytes:
    """Extended headers that are all different, so that they do not expand far."""
    numbers = (hashlib.sha256(b"%d" % number).hexdigest() for number in range(151_000))
    return _deflated((pax(record(b"comment", one.encode())) for one in numbers), wbits=31)


def _many_members() -> bytes:
    names = (b"%06d" % number for number in range(60_000))
    directory = b"".join(central(Zipped(name, method=0), 0) for name in names)
    return local(Zipped(b"a")) + directory + end(60_000, len(directory), 32)


def _longest_names() -> bytes:
    """As many members as are allowed, with names that differ only at the end of a kilobyte."""
    return _deflated(
        itertools.chain(
            (
                pax(record(b"path", b"n/" * 500 + b"%06d" % number)) + header(b"x")
                for number in range(50_001)
            ),
            [END],
        ),
        wbits=31,
    )


ARCHIVES: dict[str, Callable[[], bytes]] = {
    "gzip bomb": _gzip_bomb,
    "zip bomb": lambda: _zip_bomb(said=512 * MEGABYTE),
    "zip bomb that lies": lambda: _zip_bomb(said=10),
    "overlapping members": _overlapping,
    "gzip of gzips": lambda: gzipped(gzipped(gzipped(bytes(256 * MEGABYTE)))),
    "many gzip parts": lambda: gzipped(b"") * 200_000,
    "many members": _many_members,
    "longest names": _longest_names,
    "large pax header": lambda: gzipped(pax(b"1" * (1 << 20)) + file(b"a") + END),
    "gigantic pax header": lambda: (
        header(b"a", kind=b"x", size_field=b"\x80" + b"\x7f" * 11) + bytes(1 << 20)
    ),
    "endless extended headers": _endless_headers,
    "zeros behind the end": lambda: _deflated(
        itertools.chain([file(b"a") + END], itertools.repeat(bytes(MEGABYTE), 512)), wbits=31
    ),
    "directory of a gigabyte": lambda: zipped()[:-22] + end(1, 0xFFFFFFF0, 0),
    "traversal": lambda: gzipped(file(b"plan.json", b"{}") + file(b"../../x", padded(b"x")) + END),
}


def _ended(read: Callable[[], object]) -> str:
    try:
        read()
    except Refused as refused:
        return refused.sentence
    return "read"


def read_archive(archive: Seekable) -> str:
    def drain() -> None:
        for one in members(archive, LIMITS, lambda _: True):
            _drain(one.stream)

    return _ended(drain)


def _drain(stream: Readable) -> None:
    while stream.read(1 << 16):
        pass


def peak_bytes() -> int:
    """The largest resident size of this process since it started its program."""
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def main(name: str, path: str) -> None:
    """Read the document of this name, or the archive at ``path``, which was made elsewhere."""
    if name in DOCUMENTS:
        make, read = DOCUMENTS[name]
        ended = _ended(lambda: read(Made(make())))
    else:
        with Path(path).open("rb") as archive:
            ended = read_archive(archive)
    cost = {"ended": ended, "cpu_seconds": time.process_time(), "peak_bytes": peak_bytes()}
    sys.stdout.write(json.dumps(cost))


if __name__ == "__main__":
    main(*sys.argv[1:])
