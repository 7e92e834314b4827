import uuid
from pathlib import Path

import pytest

from evaluation.adapters.catalogue import Catalogue, in_folders, packaged
from evaluation.core.catalogue.problem import Problem
from evaluation.core.errors import InvalidInput
from evaluation.core.verdict import Target

RANKED = {
    "gemm_n7168_k5120": "94920358-01a8-4c5b-9209-3103fd490e94",
    "mha_with_lse_d128": "bc38b351-d595-451b-9153-8e225702e53b",
    "mha_with_lse_d128_causal": "6d2f67a7-225a-4af5-87d3-cbb99b496325",
    "mha_bwd_d128": "38c3b07c-f006-5f5e-9860-ba214c805a6b",
    "mha_bwd_d128_causal": "c119b3f0-c051-5e96-9c2a-2268d992fe1a",
}
NEIGHBOURS = {
    "mha_with_lse_d64": "7d2575a0-bcc2-42a0-812f-6a7e9a57d97f",
    "mha_with_lse_d64_causal": "b69f7675-568f-40f2-9a4b-8bbe374b4a59",
    "mha_with_lse_d96": "e86112ff-2cd0-4e97-8efb-9ce6356ecb2b",
    "mha_with_lse_d96_causal": "982c9922-961f-452f-ab9e-574fdcd4e28c",
    "mha_with_lse_d256": "2b241dd1-683b-48e4-8d4b-3062cea34523",
    "mha_with_lse_d256_causal": "537d3abe-1ece-444f-9a65-ce1e1a67ab8b",
    "mha_bwd_d64": "d3bcb902-6a13-5ada-9251-fa841b10cd0b",
    "mha_bwd_d64_causal": "5799ea50-77aa-56cb-9f62-a4c1f5473770",
    "mha_bwd_d96": "082481a9-4a67-5c62-8093-560bb80e4c24",
    "mha_bwd_d96_causal": "3a45eb5c-3362-5705-bd42-80324d26a471",
}
# name: published workload and its M
GEMMS = {
    "gemm_n28672_k4096": ("4c7c227f-3c0f-44eb-8e62-6f0fd507f276", 70),
    "gemm_n128_k2048": ("e3fced00-f851-471a-b2a3-d3b1fb632c5b", 8828),
    "gemm_n256_k7168": ("d09b28b7-50a8-4382-a383-7aaf36de1087", 901),
    "gemm_n4096_k4096": ("da2a2234-f5e9-4332-b62d-39865128153c", 972),
    "gemm_n4096_k14336": ("917fc869-5332-4d61-8d62-ce03ed0d83b8", 2379),
    "gemm_n21504_k5376": ("6ca60143-4a13-4e1e-9938-31a096c7a26c", 8828),
}


def sizes(problem: Problem) -> dict[str, int]:
    return {axis.name: axis.size for axis in problem.axes}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of one packaged problem and one packaged device table."""
    root = Path(__file__).parents[2] / "evaluation"
    for kind, name in (("problems", "gemm_n7168_k5120"), ("devices", "h200")):
        (tmp_path / kind).mkdir()
        text = (root / kind / f"{name}.toml").read_text(encoding="utf-8")
        (tmp_path / kind / f"{name}.toml").write_text(text, encoding="utf-8")
    return tmp_path


def catalogue(folder: Path) -> Catalogue:
    return in_folders(folder / "problems", folder / "devices")


def test_the_package_holds_the_paper_suite_and_its_neighbours() -> None:
    found = {one.name: one.workload for one in packaged().problems()}
    assert found == RANKED | NEIGHBOURS | {name: one[0] for name, one in GEMMS.items()}


def test_exactly_the_paper_suite_is_ranked() -> None:
    for problem in packaged().problems():
        assert problem.ranked is (problem.name in RANKED)
        assert problem.suite == ("paper" if problem.name in RANKED else "neighbours")
        assert problem.targets == (Target.HOPPER, Target.BLACKWELL)


def test_gemm_names_state_n_and_k_and_the_workload_gives_m() -> None:
    for name, (_, m) in GEMMS.items():
        n, k = (int(part[1:]) for part in name.split("_")[1:])
        assert sizes(packaged().problem(name)) == {"N": n, "K": k, "M": m}


def test_attention_names_state_the_head_dimension_and_the_mask() -> None:
    for problem in packaged().problems():
        if problem.name.startswith("mha"):
            dimension = int(problem.name.split("_d")[1].split("_")[0])
            letter = "D" if "lse" in problem.name else "d"
            assert sizes(problem) == {"B": 4, "H": 48, letter: dimension, "S": 4096}
            assert problem.causal is problem.name.endswith("_causal")
            assert problem.input_sets == (1 if "bwd" in problem.name else 3)


def test_workload_ids_of_backward_problems_follow_from_their_names() -> None:
    for name, workload in (RANKED | NEIGHBOURS).items():
        if name.startswith("mha_bwd"):
            derived = uuid.uuid5(uuid.NAMESPACE_URL, f"accrl://{name}/S=4096")
            assert workload == str(derived)


def test_all_problems_share_the_published_tolerance() -> None:
    for problem in packaged().problems():
        assert (problem.tolerance.atol, problem.tolerance.rtol) == (0.01, 0.01)
        assert problem.bounds.precision_grade == 4.0
        # two passes, no causal skipping and 96 filled up to 128 make 3.73 times the need honest
        assert problem.bounds.excess_work == (4.0 if problem.name == "mha_bwd_d96_causal" else 3.0)


def test_the_package_holds_one_table_a_product() -> None:
    assert [one.product for one in packaged().devices()] == [
        "b200", "h100-nvl", "h100-pcie", "h100-sxm", "h200",
    ]  # fmt: skip


def test_a_folder_is_read_like_the_package(folder: Path) -> None:
    (folder / "problems" / "README.md").write_text("not TOML", encoding="utf-8")
    (folder / "problems" / "deeper.toml").mkdir()
    assert [one.name for one in catalogue(folder).problems()] == ["gemm_n7168_k5120"]
    assert catalogue(folder).device("h200") == packaged().device("h200")


@pytest.mark.parametrize("name", ["gemm", "", "../problems/gemm_n7168_k5120", "x" * 5000])
def test_an_unknown_name_is_refused_with_the_names_there_are(folder: Path, name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        catalogue(folder).problem(name)
    assert caught.value.key == name[:80]
    assert caught.value.rule == "no such file; there are: gemm_n7168_k5120"


def test_an_empty_folder_says_that_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="there are: none"):
        in_folders(tmp_path, tmp_path).device("h200")


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="missing: is no folder"):
        in_folders(tmp_path / "missing", tmp_path).problems()


def test_a_file_must_be_called_after_what_it_states(folder: Path) -> None:
    (folder / "problems" / "gemm_n7168_k5120.toml").rename(folder / "problems" / "other.toml")
    with pytest.raises(InvalidInput, match=r"other.toml: states gemm_n7168_k5120"):
        catalogue(folder).problem("other")


def test_two_problems_may_not_share_a_workload(folder: Path) -> None:
    text = (folder / "problems" / "gemm_n7168_k5120.toml").read_text(encoding="utf-8")
    twin = text.replace('name = "gemm_n7168_k5120"', 'name = "twin"')
    (folder / "problems" / "twin.toml").write_text(twin, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"twin.toml: workload.uuid: .* gemm_n7168_k5120 too"):
        catalogue(folder).problems()


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"#" * (64 * 1024 + 1), "is larger than 65536 bytes"),
        (b"\xff", "is not UTF-8"),
        (b"=", "not TOML"),
    ],
)
def test_a_file_that_is_no_small_text_is_refused_by_name(
    folder: Path, content: bytes, rule: str
) -> None:
    (folder / "devices" / "bad.toml").write_bytes(content)
    with pytest.raises(InvalidInput, match=rule) as caught:
        catalogue(folder).devices()
    assert caught.value.where == "bad.toml"


def test_a_folder_of_very_many_files_is_refused(tmp_path: Path) -> None:
    for index in range(257):
        (tmp_path / f"d{index}.toml").touch()
    with pytest.raises(InvalidInput, match="holds 257 files; at most 256 are read"):
        in_folders(tmp_path, tmp_path).devices()


def test_only_causal_backwards_may_have_borderline_elements() -> None:
    stated = {one.name: one.tolerance.borderline_one_in for one in packaged().problems()}
    assert {name: one_in for name, one_in in stated.items() if one_in} == {
        "mha_bwd_d64_causal": 10_000_000,
        "mha_bwd_d96_causal": 10_000_000,
        "mha_bwd_d128_causal": 10_000_000,
    }
