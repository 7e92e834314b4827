"""A pack gives back what the prepare half made; this part needs no GPU."""

import hashlib
import json
from pathlib import Path

import pytest

from evaluation.core.pipeline import Tools
from evaluation.core.verdict import FamilyExecuted, Target

from . import packed
from .pack import NotPrepared, golden_folders, write_case
from .packed import GOLDEN, HOSTS, Pack, Stale


@pytest.mark.toolchain
def test_a_packed_kernel_is_read_back_as_it_was_prepared(tools: Tools, tmp_path: Path) -> None:
    write_case(GOLDEN / "kernels/gemm_naive", tools, tmp_path / "gemm_naive")
    pack = Pack(tmp_path)
    assert pack.cases == ("gemm_naive",)
    found = pack.prepared("gemm_naive")
    assert (found.problem.name, found.family) == ("gemm_n7168_k5120", FamilyExecuted.ABSENT)
    assert found.plan.cubin_sha256 == hashlib.sha256(found.cubin).hexdigest()
    assert found.facts.function("_Z10gemm_naivePK13__nv_bfloat16S1_PS_iii") is not None


@pytest.mark.toolchain
def test_a_case_that_is_refused_before_the_gpu_half_makes_no_pack(
    tools: Tools, tmp_path: Path
) -> None:
    with pytest.raises(NotPrepared, match="policy ends the run"):
        write_case(GOLDEN / "refusals/empty_file", tools, tmp_path / "empty")
    assert not (tmp_path / "empty").exists()


def test_a_pack_of_another_source_is_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = tmp_path / "pack/one"
    case.mkdir(parents=True)
    stated = {
        "problem": "p",
        "target": "hopper",
        "family": "absent",
        "bulk_rows": 0,
        "source_sha256": "0" * 64,
    }
    (case / "case.json").write_text(json.dumps(stated))
    source = tmp_path / "golden/measured/one/kernel.cu"
    source.parent.mkdir(parents=True)
    source.write_text("void run() {}")
    monkeypatch.setattr(packed, "GOLDEN", tmp_path / "golden")
    with pytest.raises(Stale, match=r"another kernel\.cu"):
        Pack(tmp_path / "pack").prepared("one")


def test_a_pack_for_one_target_holds_no_kernel_of_another() -> None:
    hopper = {folder.name for folder in golden_folders(Target.HOPPER)}
    blackwell = {folder.name for folder in golden_folders(Target.BLACKWELL)}
    assert "gemm_wgmma_tma" in hopper
    assert "gemm_tcgen05" in blackwell
    assert not hopper & blackwell


@pytest.mark.toolchain
def test_hosts_lie_apart_from_what_is_measured(tools: Tools, tmp_path: Path) -> None:
    write_case(GOLDEN / "hosts/map_array", tools, tmp_path / HOSTS / "map_array")
    pack = Pack(tmp_path)
    assert (pack.cases, pack.hosts.cases) == ((), ("map_array",))
    assert len(pack.hosts.prepared("map_array").plan.steps) == 3
