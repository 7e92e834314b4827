"""The socket of the web server, and what counts as an answer of the site."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from portal.quickstart import web
from portal.quickstart.state_folder import Unusable


def test_a_taken_port_that_was_asked_for_is_refused_with_what_to_do() -> None:
    with closing(web.listen(free_port())) as taken:
        port = web.port_of(taken)
        with pytest.raises(Unusable) as refused:
            web.listen(port)
    assert str(refused.value) == (
        f"cannot listen on 127.0.0.1, port {port}: Address already in use\n"
        "choose another one with --port, or leave it out for a free one"
    )


def test_without_a_wish_two_instances_get_two_ports_of_this_machine_alone() -> None:
    with closing(web.listen(None)) as one, closing(web.listen(None)) as other:
        assert one.getsockname()[0] == other.getsockname()[0] == "127.0.0.1"
        assert web.port_of(one) != web.port_of(other)


@pytest.mark.parametrize(
    ("status", "counts"),
    [
        ("200 OK", True),
        ("301 Moved", True),
        ("400 Bad", True),
        ("503 No", False),
        ("nonsense", False),
    ],
)
def test_the_site_answers_unless_it_is_at_fault(status: str, counts: bool) -> None:
    with answering(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode()) as port:
        assert web.answers(port) is counts


def test_a_closed_port_is_no_answer() -> None:
    assert not web.answers(free_port())


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def answering(answer: bytes) -> Iterator[int]:
    """A server that says this to everybody until the block ends."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def serve() -> None:
            client, _ = listening.accept()
            with client:
                client.recv(4096)
                client.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield web.port_of(listening)
        thread.join()
