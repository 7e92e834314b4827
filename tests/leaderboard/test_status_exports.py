"""What the page of the machines shows as files: to everybody without names of workers, to staff with them."""

import csv
import io
from datetime import timedelta

import evaluation_rows
import pytest
from django.test import Client
from django.utils import timezone
from site_fixtures import signed_in

pytestmark = pytest.mark.django_db


def read(client: Client, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200, answer
    assert answer["Content-Disposition"].startswith("attachment; ")
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def test_queues_stand_with_their_state_and_what_waits(client: Client) -> None:
    now = timezone.now()
    evaluation_rows.worker(name="host-7", queue="measure.h200", device="h200", last_heard_at=now)
    late = now - timedelta(hours=1)
    evaluation_rows.worker(
        name="host-9", queue="measure.h100-nvl", resting="too hot", last_heard_at=now
    )
    evaluation_rows.worker(name="host-8", queue="measure.b200", last_heard_at=late)
    evaluation_rows.queue_switch(queue="prepare", paused_at=now, why="the disk is full")
    evaluation_rows.run()
    found = {one["queue"]: one for one in read(client, "/status.csv")}
    assert found["prepare"] == {
        "queue": "prepare",
        "device": "",
        "state": "paused",
        "paused_why": "the disk is full",
        "workers_heard": "0",
        "workers_resting": "0",
        "runs_waiting": "1",
        "last_heard_at": "",
    }
    states = {name: found[name]["state"] for name in found if name != "prepare"}
    assert states["measure.h200"] == "serving"
    assert states["measure.h100-nvl"] == "resting"
    assert states["measure.b200"] == states["measure.h100-sxm"] == "no_worker"
    assert found["measure.b200"]["last_heard_at"] == late.isoformat()
    page = client.get("/status/").content.decode()
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    assert len(found) == body.count("<tr>") > 2


def test_workers_are_in_no_file_but_that_of_staff_which_nobody_keeps(client: Client) -> None:
    now = timezone.now()
    evaluation_rows.worker(name="host-7", queue="measure.h200", device="h200", last_heard_at=now)
    evaluation_rows.canary_reading(heard_at=now)
    for visitor in (client, signed_in()):
        assert read(visitor, "/status/workers.csv") == []
        assert [one["worker"] for one in read(visitor, "/status/known-kernels.csv")] == [""]
        for one in ("/status.json", "/status/devices.json", "/status/known-kernels.json"):
            content = visitor.get(one).getvalue()
            assert b"host-7" not in content
            assert b"m@1" not in content
        assert "/status/workers.csv" not in visitor.get("/status/").content.decode()
    staff = signed_in(staff=True)
    found = {one["worker"]: one for one in read(staff, "/status/workers.csv")}
    assert found["host-7"] == {
        "queue": "measure.h200",
        "device": "h200",
        "worker": "host-7",
        "judge": "1",
        "schema": "2",
        "draining": "no",
        "resting": "",
        "is_heard": "yes",
        "last_heard_at": now.isoformat(),
    }
    assert [one["worker"] for one in read(staff, "/status/known-kernels.csv")] == ["m@1"]
    assert "/status/workers.csv" in staff.get("/status/").content.decode()
    for one in ("/status.csv", "/status/workers.csv", "/status/known-kernels.csv"):
        assert "private" in staff.get(one)["Cache-Control"]
        assert "public" in client.get(one)["Cache-Control"]


def test_devices_and_known_kernels_have_the_figures_of_the_page(client: Client) -> None:
    now = timezone.now()
    evaluation_rows.device(product="h200", driver="580.159.04", last_heard_at=now)
    evaluation_rows.canary_reading(heard_at=now, said="it is\u202e cold", sm_mhz=0)
    assert read(client, "/status/devices.csv") == [
        {
            "product": "h200",
            "devices": "1",
            "out_of_service": "0",
            "drivers": "580.159.04",
            "last_heard_at": now.isoformat(),
        }
    ]
    assert read(client, "/status/known-kernels.csv") == [
        {
            "kernel": "gemm_wgmma_tma",
            "product": "h200",
            "worker": "",
            "ratio": "0.992",
            "expected_low": "0.96",
            "expected_high": "1.025",
            "is_well": "no",
            "said": "it is⟨U+202E⟩ cold",
            "sm_mhz": "",
            "memory_mhz": "3201",
            "temperature_c": "41",
            "heard_at": now.isoformat(),
        }
    ]
    page = client.get("/status/").content.decode()
    for one in ("/status", "/status/devices", "/status/known-kernels"):
        assert f'href="{one}.csv"' in page
        assert f'href="{one}.json"' in page


def test_text_that_a_page_cuts_is_cut_in_its_file(client: Client) -> None:
    now = timezone.now()
    evaluation_rows.queue_switch(queue="prepare", paused_at=now, why="x" * 140 + "y" * 100)
    (prepare,) = (one for one in read(client, "/status.csv") if one["queue"] == "prepare")
    assert prepare["paused_why"] == "x" * 140 + "y" * 9 + "…"
