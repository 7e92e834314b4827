"""A kernel is kept as it is, or says why not."""

import pytest

from evaluation.core.entry_words import Missing
from portal.uploads.importers.records import ReadTurn
from portal.uploads.importers.turn_kernel import kept
from portal.uploads.reading.limits import Limits


def test_the_bound_counts_bytes_and_not_characters() -> None:
    limits = Limits(kernel_bytes=10)

    assert kept("é" * 5, limits).source == "é" * 5
    assert kept("é" * 5 + "x", limits).missing is Missing.TOO_LARGE


@pytest.mark.parametrize("source", ["int x;\0", "\ud800", "int x;\udfff\n"])
def test_characters_that_no_file_can_have_make_a_kernel_unreadable(source: str) -> None:
    assert kept(source, Limits()).missing is Missing.UNREADABLE


def test_what_the_scrubber_finds_is_counted_in_the_sentence() -> None:
    key = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT1vW4" * 2

    found = kept(f"// {key}\nint x;\n// {key}\n", Limits())

    assert found.missing is Missing.SCRUBBED
    assert found.said == "2 secrets had to be removed from the kernel, so it is not judged"
    assert [place.where for place in found.secrets] == ["line 1", "line 3"]


@pytest.mark.parametrize(
    ("kernel", "missing"), [(None, None), (None, Missing.SCRUBBED), ("int x;", Missing.NO_CODE)]
)
def test_a_turn_has_a_kernel_exactly_when_none_is_missing(
    kernel: str | None, missing: Missing | None
) -> None:
    with pytest.raises(ValueError, match="exactly when"):
        ReadTurn(0, kernel, missing)
