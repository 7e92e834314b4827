"""The folder of samples as a whole: what it says of itself, and what a damaged one says."""

import shutil
from pathlib import Path

import pytest

from evaluation.core.errors import InvalidInput
from portal.quickstart.sample_files import digest_of, sample_folder, samples

FOLDER = Path(str(sample_folder()))
MOST_BYTES = 1_500_000  # of a package that everybody downloads


def test_nine_kernels_of_five_problems_were_measured_on_an_h200() -> None:
    found = samples(sample_folder())
    assert [(one.name, one.problem) for one in found.samples] == [
        ("gemm_naive", "gemm_n7168_k5120"),
        ("gemm_mma_sync", "gemm_n7168_k5120"),
        ("gemm_wgmma_tma", "gemm_n7168_k5120"),
        ("mha_fwd_wgmma", "mha_with_lse_d128"),
        ("mha_fwd_wgmma_causal", "mha_with_lse_d128_causal"),
        ("mha_bwd_plain", "mha_bwd_d128"),
        ("mha_bwd_wgmma", "mha_bwd_d128"),
        ("mha_bwd_plain_causal", "mha_bwd_d128_causal"),
        ("mha_bwd_wgmma_causal", "mha_bwd_d128_causal"),
    ]
    assert (found.product, found.gpu) == ("h200", "NVIDIA H200")
    assert found.measured_at.isoformat() == "2026-11-30T17:48:00+00:00"
    later = {one.name for one in found.samples if one.measured_at != found.measured_at}
    assert later == {"mha_bwd_wgmma", "mha_bwd_wgmma_causal"}
    assert found.samples[-1].measured_at.isoformat() == "2026-11-30T22:08:00+00:00"


def test_the_folder_is_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < MOST_BYTES


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "sample"))


@pytest.mark.parametrize(
    "file", ["samples.toml", "gemm_naive/kernel.cu", "gemm_naive/artifacts/plan.gz"]
)
def test_one_more_byte_in_any_file_is_another_set(copied: Path, file: str) -> None:
    with (copied / file).open("ab") as stream:
        stream.write(b"\n")
    assert digest_of(copied) != digest_of(FOLDER)


def test_a_copy_is_the_same_set(copied: Path) -> None:
    assert digest_of(copied) == digest_of(FOLDER)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("2026-11-30T17:48:00+00:00", "yesterday", "samples.toml: measured_at: is no time"),
        (
            "2026-11-30T17:48:00+00:00",
            "2026-11-30T17:48:00",
            "samples.toml: measured_at: does not say of which zone it is",
        ),
        (
            "2026-11-30T22:08:00+00:00",
            "2026-11-30T22:08:00",
            "samples.toml: samples.mha_bwd_wgmma.measured_at: does not say of which zone it is",
        ),
        ('"h200"', '"../h200"', "samples.toml: product: must be lower-case letters, digits and _"),
    ],
    ids=["no time", "no zone", "a kernel's time", "a path"],
)
def test_what_is_wrong_is_named(copied: Path, before: str, after: str, said: str) -> None:
    statement = copied / "samples.toml"
    statement.write_text(statement.read_text().replace(before, after))
    with pytest.raises(InvalidInput) as refused:
        samples(copied)
    assert str(refused.value) == said
