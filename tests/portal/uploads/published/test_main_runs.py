import pytest
from published_sample import GEMM

from evaluation.core.errors import InvalidInput
from evaluation.core.verdict import Target
from portal.uploads.importers.published.main_runs import (
    MainRuns,
    load_main_runs,
    packaged_main_runs,
)
from portal.uploads.importers.published.published_records import RunKey

TABLE = """\
format = 1
name = "sample"
source = "made by hand"

[[main]]
model = "Alpha 1"
target = "hopper"
definition = "gemm"
experiment = "second"

[[variants]]
published = "Alpha 1 + notes"
model = "Alpha 1"

[[aliases]]
model = "Alpha 1"
alias = "alpha-1-preview"
"""


def _run(experiment: str, *, model: str = "Alpha 1", target: Target = Target.HOPPER) -> RunKey:
    return RunKey(model, target, "gemm", GEMM, experiment)


def _table() -> MainRuns:
    return load_main_runs(TABLE, where="main_runs.toml")


def test_the_table_names_the_main_run_of_several() -> None:
    assert _table().among([_run("first"), _run("second")]) == {_run("second")}


def test_an_only_run_is_the_main_run() -> None:
    keys = [_run("second"), _run("third", target=Target.BLACKWELL), _run("fourth", model="Beta")]
    assert _table().among(keys) == set(keys)


def test_a_variant_has_no_main_run_and_belongs_to_its_model() -> None:
    table = _table()
    assert table.among([_run("second"), _run("noted", model="Alpha 1 + notes")]) == {_run("second")}
    assert table.model_of("Alpha 1 + notes") == "Alpha 1"
    assert table.model_of("Beta") == "Beta"


def test_a_model_has_its_aliases() -> None:
    assert _table().aliases_of("Alpha 1") == ("alpha-1-preview",)
    assert _table().aliases_of("Beta") == ()


def test_several_runs_of_which_none_is_named_are_refused() -> None:
    keys = [_run("second"), _run("a", model="Beta"), _run("b", model="Beta")]
    with pytest.raises(InvalidInput) as caught:
        _table().among(keys)
    said = "main_runs.toml: Beta / hopper / gemm: 2 runs are published; name the main one"
    assert str(caught.value) == said


def test_a_named_run_that_is_not_published_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        _table().among([_run("first")])
    said = "main_runs.toml: Alpha 1 / hopper / gemm: names the run second, which is not published"
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param(
            'experiment = "second"', 'experimant = "second"',
            "main_runs.toml: main.0.experimant: unknown key; allowed here: model, target, definition, experiment",
            id="unknown-key",
        ),
        pytest.param(
            '"hopper"', '"ampere"', "main_runs.toml: main.0.target: 'ampere' is not one of: hopper, blackwell",
            id="unknown-target",
        ),
        pytest.param(
            "format = 1", "format = 2", "main_runs.toml: format: must be an integer from 1 to 1", id="other-format"
        ),
        pytest.param(
            'alias = "alpha-1-preview"', 'alias = ""',
            "main_runs.toml: aliases.0.alias: must be text of 1 to 120 characters", id="empty-alias",
        ),
        pytest.param(
            "[[variants]]",
            '[[main]]\nmodel = "Alpha 1"\ntarget = "hopper"\ndefinition = "gemm"\nexperiment = "third"\n[[variants]]',
            "main_runs.toml: main.1: an earlier entry says this too", id="said-twice",
        ),
    ],
)  # fmt: skip
def test_a_table_that_breaks_a_rule_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load_main_runs(TABLE.replace(old, new, 1), where="main_runs.toml")
    assert str(caught.value) == said


def test_the_packaged_table_is_right() -> None:
    assert packaged_main_runs().name == "ptxbench-2608.17379"
