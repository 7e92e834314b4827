"""A whole JSON document copied without its secrets, while it streams by."""

import json
from dataclasses import dataclass, field
from typing import Protocol

from portal.uploads.reading.json_events import Event, Kind, decoded, events
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import CHUNK_BYTES, Readable
from portal.uploads.reading.refused import Refused, shown
from portal.uploads.reading.scrub import LOCATED, Found, Secret, is_placeholder, mark, scrub
from portal.uploads.reading.secret_names import is_about_text, may_be_a_number, secret_named


class Writable(Protocol):
    def write(self, content: bytes, /) -> object: ...


@dataclass(frozen=True, slots=True)
class ScrubbedDocument:
    """What was taken out of a document; ``found`` locates the first hundred of ``total``."""

    found: tuple[Found, ...]
    total: int


def scrub_json(stream: Readable, out: Writable, limits: Limits, member: str) -> ScrubbedDocument:
    """Write the document to ``out``, compact and in its order, secrets replaced by marks.

    ``Refused`` may come after something was written: a caller then throws it away.
    """
    copy = _Copy(out)
    for event in events(stream, limits, member):
        copy.take(event)
        if copy.total > limits.secrets:
            raise Refused(f"has more than {limits.secrets:,} secrets", member)
    copy.flush()
    return ScrubbedDocument(tuple(copy.found), copy.total)


@dataclass(slots=True)
class _Level:
    """An open object or array, and the member of it that is being copied."""

    is_array: bool
    # The kind of secret that everything below is.
    secret: Secret | None
    is_about_text: bool
    members: int = 0
    key: str = ""
    key_secret: Secret | None = None


@dataclass(slots=True)
class _Copy:
    out: Writable
    found: list[Found] = field(default_factory=list)
    total: int = 0
    held: bytearray = field(default_factory=bytearray)
    levels: list[_Level] = field(default_factory=list)

    def take(self, event: Event) -> None:
        kind, text = event
        if kind is Kind.OBJECT_END or kind is Kind.ARRAY_END:
            self.levels.pop()
            self.held += text
        elif kind is Kind.KEY:
            self._key(text)
        else:
            self._value(kind, text)
        if len(self.held) > CHUNK_BYTES:
            self.flush()

    def flush(self) -> None:
        self.out.write(bytes(self.held))
        self.held.clear()

    def _key(self, inside: bytes) -> None:
        level = self.levels[-1]
        if level.members:
            self.held += b","
        level.members += 1
        level.key = decoded(inside)
        level.key_secret = level.secret or secret_named(level.key)
        scrubbed = scrub(level.key)
        if scrubbed.changed:
            # Two secrets as keys must not become the same key twice.
            level.key = f"{scrubbed.text}#{level.members}"
            self._note(scrubbed.found[0].kind, scrubbed.total)
            inside = json.dumps(level.key).encode()[1:-1]
        self.held += b'"%b":' % inside

    def _value(self, kind: Kind, text: bytes) -> None:
        level = self.levels[-1] if self.levels else None
        if level is not None and level.is_array:
            if level.members:
                self.held += b","
            level.members += 1
        if kind is Kind.OBJECT or kind is Kind.ARRAY:
            self._open(level, is_array=kind is Kind.ARRAY)
            self.held += text
        elif kind is Kind.STRING:
            self._string(text, self._secret(level))
        elif kind is Kind.NUMBER and self._is_secret_number(level):
            self._replace(self._secret(level) or Secret.NAMED_SECRET)
        else:
            self.held += text

    def _open(self, level: _Level | None, *, is_array: bool) -> None:
        about_text = level is not None and (level.is_about_text or is_about_text(level.key))
        # A piece of text and its probability may be an object that is called a token.
        secret = None if level is not None and _is_plain_token(level) else self._secret(level)
        self.levels.append(_Level(is_array, secret, about_text))

    def _secret(self, level: _Level | None) -> Secret | None:
        if level is None:
            return None
        if level.is_array:
            return level.secret
        if level.is_about_text and _is_plain_token(level):
            return None
        return level.key_secret

    def _is_secret_number(self, level: _Level | None) -> bool:
        return level is not None and self._secret(level) is not None and may_be_a_number(level.key)

    def _string(self, inside: bytes, secret: Secret | None) -> None:
        value = decoded(inside)
        if secret is not None and not is_placeholder(value):
            self._replace(secret)
            return
        scrubbed = scrub(value)
        if scrubbed.changed:
            for one in scrubbed.found:
                self._note(one.kind)
            self.total += scrubbed.total - len(scrubbed.found)
            self.held += json.dumps(scrubbed.text, ensure_ascii=False).encode()
        else:
            self.held += b'"%b"' % inside

    def _replace(self, secret: Secret) -> None:
        self._note(secret)
        self.held += b'"%b"' % mark(secret).encode()

    def _note(self, kind: Secret, times: int = 1) -> None:
        self.total += times
        if len(self.found) < LOCATED:
            self.found.append(Found(kind, self._where()))

    def _where(self) -> str:
        path = ""
        for level in self.levels:
            path += f"[{level.members - 1}]" if level.is_array else f".{level.key}"
        return shown(path.removeprefix("."))


def _is_plain_token(level: _Level) -> bool:
    return not level.is_array and level.secret is None and level.key.lower() == "token"
