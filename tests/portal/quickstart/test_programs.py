"""What each program of the product is started with, and what it is not told."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from portal.quickstart import web
from portal.quickstart.gpus import FoundGpu
from portal.quickstart.service import Service
from portal.quickstart.services import Installation, stages
from portal.quickstart.state_folder import StateFolder

ENVIRONMENT = {
    "PATH": "/bin",
    "HOME": "/home/one",
    "AWS_SECRET_ACCESS_KEY": "no business of ours",
    "LD_LIBRARY_PATH": "/cuda",
    "PTXBOARD_DATABASE_URL": "postgresql://user:password@host/name",
    "PTXBOARD_SECRET_KEY": "k" * 50,
    "PTXBOARD_QUEUE": "portal.reports",
    "PTXBOARD_DEVICE": "b200",
    "PTXBOARD_GPU": "9",
}
JUDGE = {
    "PATH",
    "HOME",
    "PYTHONPATH",
    "PYTHONUNBUFFERED",
    "LC_ALL",
    "PTXBOARD_HOME",
    "PTXBOARD_BROKER_URL",
}


@pytest.fixture
def installation() -> Iterator[Installation]:
    with closing(web.listen(None)) as listening:
        yield Installation(
            state=StateFolder(Path("/state")),
            environment=ENVIRONMENT,
            broker_url="redis+socket:///state/broker/broker.sock?virtual_host=0",
            server=Path("/bin/valkey-server"),
            sockets=Path("/state/broker"),
            listening=listening,
            gpus=(),
            preparers=3,
        )


def named(installation: Installation) -> dict[str, Service]:
    return {one.name: one for stage in stages(installation) for one in stage}


def test_the_site_comes_last_and_the_broker_first(installation: Installation) -> None:
    assert [[one.name for one in stage] for stage in stages(installation)] == [
        ["broker"],
        ["database"],
        ["portal", "reports", "beat", "prepare"],
        ["web"],
    ]


def test_a_broker_of_somebody_else_is_not_started(installation: Installation) -> None:
    assert "broker" not in named(replace(installation, server=None))


def test_every_gpu_that_will_do_has_a_measure_worker_and_no_other(
    installation: Installation,
) -> None:
    gpus = (FoundGpu(0, "h200", ""), FoundGpu(1, "", "no table"), FoundGpu(2, "h100-sxm", ""))
    services = named(replace(installation, gpus=gpus))
    assert [name for name in services if name.startswith("measure")] == ["measure-0", "measure-2"]
    environment = services["measure-2"].environment
    assert set(environment) == {*JUDGE, "LD_LIBRARY_PATH", "PTXBOARD_DEVICE", "PTXBOARD_GPU"}
    assert (environment["PTXBOARD_DEVICE"], environment["PTXBOARD_GPU"]) == ("h100-sxm", "2")


def test_the_judge_s_workers_are_told_no_database_no_key_and_nothing_of_a_stranger(
    installation: Installation,
) -> None:
    assert set(named(installation)["prepare"].environment) == JUDGE


def test_the_site_s_programs_are_told_its_settings_and_each_worker_its_queue(
    installation: Installation,
) -> None:
    services = named(installation)
    for name in ("database", "portal", "reports", "beat", "web"):
        environment = dict(services[name].environment)
        queue = environment.pop("PTXBOARD_QUEUE", "")
        assert queue == {"portal": "portal", "reports": "portal.reports"}.get(name, "")
        assert set(environment) == {
            *JUDGE,
            "DJANGO_SETTINGS_MODULE",
            "PTXBOARD_DATABASE_URL",
            "PTXBOARD_SECRET_KEY",
        }


def test_the_broker_is_told_nothing(installation: Installation) -> None:
    assert set(named(installation)["broker"].environment) == {"PATH", "LC_ALL"}


def test_the_web_server_alone_gets_the_socket_and_offers_no_control_of_itself(
    installation: Installation,
) -> None:
    services = named(installation)
    number = installation.listening.fileno()
    assert {name: one.descriptors for name, one in services.items() if one.descriptors} == {
        "web": (number,)
    }
    assert f"fd://{number}" in services["web"].command
    assert "--no-control-socket" in services["web"].command
