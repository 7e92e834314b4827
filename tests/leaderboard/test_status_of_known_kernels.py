"""The page of the machines says how known kernels ran on each GPU."""

import evaluation_rows
import pytest
from django.test import Client
from django.utils import timezone
from page_reading import strictly, text_of
from site_fixtures import signed_in

pytestmark = pytest.mark.django_db


def said_to(client: Client) -> str:
    answer = client.get("/status/")
    assert answer.status_code == 200
    strictly(answer.content.decode())
    return text_of(answer.content.decode())


def test_the_status_says_ratio_band_clocks_and_temperature_of_known_kernels(client: Client) -> None:
    evaluation_rows.canary_reading(heard_at=timezone.now())
    said = said_to(client)
    row = "gemm_wgmma_tma on H200 0.9920× 0.9600× to 1.025× well 1,830 MHz 3,201 MHz 41 °C"
    assert row in said
    assert "m@1" not in said
    assert "gemm_wgmma_tma on H200, m@1 0.9920×" in said_to(signed_in(staff=True))


def test_the_status_says_what_is_wrong_with_a_gpu_that_takes_no_work(client: Client) -> None:
    wrong = "a ratio of 0.812 is not within 0.960 to 1.025"
    evaluation_rows.canary_reading(heard_at=timezone.now(), said=wrong, ratio=0.812, sm_mhz=0)
    assert f"not well: {wrong} not sampled 3,201 MHz 41 °C" in said_to(client)


def test_without_readings_the_status_has_no_table_of_known_kernels(client: Client) -> None:
    assert "Known kernels" not in said_to(client)
