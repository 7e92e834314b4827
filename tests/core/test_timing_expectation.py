from fractions import Fraction
from pathlib import Path

import pytest

from evaluation.adapters.baselines import expectations
from evaluation.adapters.catalogue import packaged
from evaluation.core.errors import InvalidInput
from evaluation.core.measure.seen import Roofs
from evaluation.core.timing.expectation import Expectation, spread_of
from evaluation.core.timing.expectation_file import load_expectations

TEXT = """
format = 1
product = "h200"
source = "measured 2026-11-30"
driver = "580.159.04"
libraries = "some"
[[problems]]
name = "gemm_small"
vendor_ns = 1_000
spread_ppm = 4000
[[problems]]
name = "gemm_large"
vendor_ns = 2_000
"""


def test_a_file_states_times_and_spreads() -> None:
    found = load_expectations(TEXT, where="h200.toml")
    assert found.of("gemm_small") == Expectation("gemm_small", 1_000, Fraction(4, 1000))
    assert found.of("gemm_large") == Expectation("gemm_large", 2_000)
    assert found.of("other") is None
    assert (found.product, found.driver, found.libraries) == ("h200", "580.159.04", "some")


def test_a_file_states_what_the_device_can_do_at_best_where_it_was_measured() -> None:
    assert load_expectations(TEXT, where="h200.toml").roofs is None
    stated = (
        "[roofs]\nread_bytes_per_s = 4_000_000_000_000\nmatrix_flops_per_s = 900_000_000_000_000\n"
    )
    found = load_expectations(TEXT + stated, where="h200.toml")
    assert found.roofs == Roofs(4_000_000_000_000, 900_000_000_000_000)


@pytest.mark.parametrize("number", ["999_999_999", "1_000_000_000_000_000_001", "1.5"])
def test_a_roof_that_no_device_has_is_refused(number: str) -> None:
    stated = f"[roofs]\nread_bytes_per_s = 4_000_000_000_000\nmatrix_flops_per_s = {number}\n"
    with pytest.raises(InvalidInput) as refusal:
        load_expectations(TEXT + stated, where="h200.toml")
    assert refusal.value.key == "roofs.matrix_flops_per_s"
    assert "must be an integer" in refusal.value.rule


def test_a_spread_that_nobody_published_is_assumed() -> None:
    assert spread_of(None) == Fraction(6, 1000)
    assert spread_of(Expectation("a", 1)) == Fraction(6, 1000)
    assert spread_of(Expectation("a", 1, Fraction(1, 1000))) == Fraction(1, 1000)


@pytest.mark.parametrize(
    ("old", "new", "key", "rule"),
    [
        ("format = 1", "format = 2", "format", "must be an integer"),
        ("measured 2026-11-30", "guessed", "source", "must be"),
        ('"gemm_large"', '"gemm_small"', "problems.gemm_small.name", "is stated twice"),
        ("4000", "99", "problems.gemm_small.spread_ppm", "must be an integer"),
        ("4000", "50_001", "problems.gemm_small.spread_ppm", "must be an integer"),
        ("vendor_ns = 2_000", "vendor_ns = 99", "problems.gemm_large.vendor_ns", "must be"),
        ("driver =", "driven =", "driven", "unknown key"),
        ('product = "h200"', 'product = "../h200"', "product", "must be a product"),
    ],
)
def test_a_file_that_is_not_right_is_refused_by_key(
    old: str, new: str, key: str, rule: str
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        load_expectations(TEXT.replace(old, new, 1), where="h200.toml")
    assert refusal.value.key == key
    assert rule in refusal.value.rule


def test_the_packaged_files_state_ranked_problems_of_known_devices() -> None:
    found = expectations("h200")
    assert found is not None
    known = {one.name: one for one in packaged().problems()}
    assert {one.problem for one in found.problems} == {
        name for name, one in known.items() if one.ranked
    }
    assert packaged().device(found.product).product == "h200"
    assert expectations("b200") is None
    assert expectations("../devices/h200") is None


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (TEXT.encode(), "states h200; a file is called after what it states"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"#" * (64 * 1024 + 1), "is larger than 65536 bytes"),
    ],
)
def test_a_file_of_a_folder_is_read_with_limits(tmp_path: Path, content: bytes, rule: str) -> None:
    (tmp_path / "h100-nvl.toml").write_bytes(content)
    with pytest.raises(InvalidInput) as refusal:
        expectations("h100-nvl", tmp_path)
    assert refusal.value.rule == rule
