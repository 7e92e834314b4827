"""Messages of a conversation put together to turns, as the harness's own evaluators do it, without counting places."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from portal.uploads.importers.fields import Fields

ASSISTANT = "assistant"
USER = "user"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn: a reply, the first answer to it that has an event, and how many other answers there were."""

    reply: Fields
    feedback: Fields | None
    with_event: int = 0
    without_event: int = 0


def exchanges(messages: Iterable[Fields]) -> Iterator[Exchange]:
    """Yield one exchange for each assistant message; the first user message is the task and answers nothing.

    A user message without an event answers nothing either, and other roles are passed over, so that whatever stands
    between shifts no turn.
    """
    task_seen = False
    current: Exchange | None = None
    for message in messages:
        role = role_of(message)
        if role == ASSISTANT:
            if current is not None:
                yield current
            current = Exchange(message, None)
        elif role == USER and not task_seen:
            task_seen = True
        elif role == USER and current is not None:
            current = _answered(current, message)
    if current is not None:
        yield current


def role_of(message: Fields) -> str:
    """Give the role; of a message that is no object or has none, nothing."""
    role = message.child("role").value
    return role if isinstance(role, str) else ""


def event_of(message: Fields) -> str:
    return message.name("extra", "event", limit=40)


def _answered(exchange: Exchange, message: Fields) -> Exchange:
    if not event_of(message):
        return Exchange(
            exchange.reply, exchange.feedback, exchange.with_event, exchange.without_event + 1
        )
    first = exchange.feedback or message
    return Exchange(exchange.reply, first, exchange.with_event + 1, exchange.without_event)
