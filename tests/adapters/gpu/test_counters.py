"""The counters library over a double of libcupti that keeps CUPTI's rules; the real one is asked where it is installed."""

import ctypes
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.adapters.gpu.counters import Counters, CountersUnavailable
from evaluation.adapters.gpu.cupti_library import CuptiPlace, find_cupti
from evaluation.core.errors import ToolMissing
from evaluation.core.launching.port import Unavailable
from evaluation.core.probe.metrics import METRICS
from evaluation.core.verdict import Target

REPOSITORY = Path(__file__).parents[3]
TOOLKIT = Path("/usr/local/cuda/include")
SOME_CONTEXT = 0x1000


@pytest.fixture(scope="session")
def cupti() -> CuptiPlace:
    try:
        return find_cupti()
    except ToolMissing as missing:
        pytest.skip(f"{missing}; {missing.action}")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, cupti: CuptiPlace) -> Path:
    """A folder with our library and the double, compiled with the headers of the real CUPTI."""
    if not (TOOLKIT / "cuda.h").exists():
        pytest.skip(f"{TOOLKIT}/cuda.h is not here; the jailed build has its own")
    folder = tmp_path_factory.mktemp("counters")
    for name, sources in (
        ("counters.so", sorted((REPOSITORY / "evaluation/native/counters").glob("*.cpp"))),
        ("cupti.so", [REPOSITORY / "tests/native/fake_cupti/cupti.cpp"]),
    ):
        subprocess.run(
            ["g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
            + [f"-isystem{cupti.include}", f"-isystem{TOOLKIT}", "-o", str(folder / name)]
            + [str(path) for path in sources],
            check=True,
            timeout=120,
        )
    return folder


class Fake:
    """What the double saw of its caller."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))

    def is_on(self) -> bool:
        return bool(self._library.fake_cupti_is_on())

    @property
    def enables(self) -> int:
        return int(self._library.fake_cupti_enables())


@pytest.fixture
def fake(built: Path) -> Fake:
    return Fake(built / "cupti.so")


@pytest.fixture
def counters(built: Path) -> Iterator[Counters]:
    opened = Counters(built / "counters.so", built / "cupti.so", 0, context=SOME_CONTEXT)
    yield opened
    opened.close()


def test_a_reading_of_two_passes_has_the_values_of_both(counters: Counters, fake: Fake) -> None:
    assert counters.configure(("p0.v601295421440", "p1.v25")) == 2
    counters.begin_pass()
    assert fake.is_on()
    assert counters.end_pass() is False
    counters.begin_pass()
    assert counters.end_pass() is True
    assert counters.values() == {"p0.v601295421440": 601295421440, "p1.v25": 25}


def test_the_profiler_is_off_outside_passes(counters: Counters, fake: Fake) -> None:
    counters.configure(("p0.v1", "p1.v2"))
    assert not fake.is_on()
    for _ in range(2):
        counters.begin_pass()
        assert fake.is_on()
        counters.end_pass()
        assert not fake.is_on()


def test_staying_on_switches_on_once(built: Path, fake: Fake) -> None:
    counters = Counters(
        built / "counters.so", built / "cupti.so", 0, context=SOME_CONTEXT, stay_on=True
    )
    before = fake.enables
    counters.configure(("p0.v1", "p2.v2"))
    for _ in range(3):
        counters.begin_pass()
        counters.end_pass()
    assert fake.enables == before + 1
    assert counters.values() == {"p0.v1": 1, "p2.v2": 2}
    counters.rest()
    assert not fake.is_on()
    counters.close()


def test_switching_on_before_a_reading_changes_nothing_of_it(built: Path, fake: Fake) -> None:
    counters = Counters(
        built / "counters.so", built / "cupti.so", 0, context=SOME_CONTEXT, stay_on=True
    )
    before = fake.enables
    counters.configure(("p0.v1", "p1.v2"))
    counters.switch_on()
    assert fake.is_on()
    counters.rest()
    assert not fake.is_on()
    for complete in (False, True, False, True):
        counters.begin_pass()
        assert counters.end_pass() is complete
        if complete:
            assert counters.values() == {"p0.v1": 1, "p1.v2": 2}
            counters.rest()
    assert fake.enables == before + 3
    counters.close()


def test_switching_off_in_the_middle_of_a_reading_loses_nothing(built: Path, fake: Fake) -> None:
    counters = Counters(
        built / "counters.so", built / "cupti.so", 0, context=SOME_CONTEXT, stay_on=True
    )
    counters.configure(("p0.v1", "p1.v2"))
    counters.begin_pass()
    assert counters.end_pass() is False
    counters.rest()
    assert not fake.is_on()
    counters.begin_pass()
    assert counters.end_pass() is True
    assert counters.values() == {"p0.v1": 1, "p1.v2": 2}
    counters.close()


def test_switching_on_needs_metrics_and_no_open_pass(counters: Counters) -> None:
    with pytest.raises(RuntimeError, match="no metrics are chosen"):
        counters.switch_on()
    counters.configure(("p0.v1",))
    counters.begin_pass()
    with pytest.raises(RuntimeError, match="has not ended"):
        counters.switch_on()
    counters.end_pass()


def test_a_second_reading_begins_after_a_complete_one(counters: Counters) -> None:
    counters.configure(("p0.v3", "p1.v4"))
    for complete in (False, True, False, True):
        counters.begin_pass()
        assert counters.end_pass() is complete
    assert counters.values() == {"p0.v3": 3, "p1.v4": 4}


def test_fractions_are_rounded_to_integers(counters: Counters) -> None:
    counters.configure(("p0.v2.6",))
    counters.begin_pass()
    counters.end_pass()
    assert counters.values() == {"p0.v2.6": 3}


@pytest.mark.parametrize("name", ["minus", "p0.vinf", "p0.vnan", "p0.v1e17"])
def test_what_is_no_count_is_no_reading(counters: Counters, name: str) -> None:
    counters.configure((name,))
    counters.begin_pass()
    counters.end_pass()
    with pytest.raises(CountersUnavailable) as refused:
        counters.values()
    assert refused.value.why is Unavailable.INCOMPLETE


def test_an_unknown_metric_is_named_as_the_reason(counters: Counters) -> None:
    with pytest.raises(CountersUnavailable, match="AddMetrics") as refused:
        counters.configure(("p0.v1", "nothing"))
    assert refused.value.why is Unavailable.UNKNOWN_METRIC


def test_a_driver_that_denies_counters_is_told_by_a_word_of_its_own(
    counters: Counters, fake: Fake
) -> None:
    counters.configure(("denied",))
    with pytest.raises(CountersUnavailable, match="no privileges") as refused:
        counters.begin_pass()
    assert refused.value.why is Unavailable.NOT_PERMITTED
    assert refused.value.status == 35
    assert not fake.is_on()  # nobody has to switch off what never came on
    with pytest.raises(RuntimeError, match="closed"):
        counters.begin_pass()


def test_a_dropped_range_is_no_reading_and_leaves_nothing_on(
    counters: Counters, fake: Fake
) -> None:
    counters.configure(("dropped",))
    counters.begin_pass()
    with pytest.raises(CountersUnavailable) as refused:
        counters.end_pass()
    assert refused.value.why is Unavailable.INCOMPLETE
    assert not fake.is_on()


def test_another_device_than_cupti_knows_is_refused(built: Path) -> None:
    with pytest.raises(CountersUnavailable, match="ChipName") as refused:
        Counters(built / "counters.so", built / "cupti.so", 7, context=SOME_CONTEXT)
    assert refused.value.why is Unavailable.REFUSED


def test_values_before_the_last_pass_are_a_mistake_of_the_caller(counters: Counters) -> None:
    counters.configure(("p0.v1", "p1.v2"))
    counters.begin_pass()
    counters.end_pass()
    with pytest.raises(RuntimeError, match="lacks passes"):
        counters.values()


def test_calls_in_the_wrong_order_are_refused(counters: Counters) -> None:
    with pytest.raises(RuntimeError, match="no metrics are chosen"):
        counters.begin_pass()
    with pytest.raises(RuntimeError, match="1 to 256"):
        counters.configure(())
    counters.configure(("p0.v1",))
    with pytest.raises(RuntimeError, match="chosen once"):
        counters.configure(("p0.v1",))
    with pytest.raises(RuntimeError, match="no pass has begun"):
        counters.end_pass()
    counters.begin_pass()
    with pytest.raises(RuntimeError, match="has not ended"):
        counters.begin_pass()
    with pytest.raises(RuntimeError, match="has not ended"):
        counters.rest()
    counters.end_pass()


def test_closing_inside_a_pass_switches_off(built: Path, fake: Fake) -> None:
    counters = Counters(built / "counters.so", built / "cupti.so", 0, context=SOME_CONTEXT)
    counters.configure(("p0.v1",))
    counters.begin_pass()
    counters.close()
    assert not fake.is_on()
    counters.close()


def test_without_a_context_metrics_can_be_looked_up_and_no_pass_begun(built: Path) -> None:
    counters = Counters(built / "counters.so", built / "cupti.so", 0, chip="FAKE100")
    assert counters.configure(("p2.v1",)) == 3
    with pytest.raises(RuntimeError, match="without a context"):
        counters.begin_pass()
    counters.close()


@pytest.mark.parametrize("missing", ["counters.so", "cupti.so"])
def test_a_library_that_is_not_there_is_told(built: Path, tmp_path: Path, missing: str) -> None:
    paths = [
        tmp_path / name if name == missing else built / name for name in ("counters.so", "cupti.so")
    ]
    with pytest.raises(CountersUnavailable) as refused:
        Counters(paths[0], paths[1], 0, context=SOME_CONTEXT)
    assert refused.value.why is Unavailable.NO_LIBRARY


def test_a_library_that_is_not_cupti_is_told_with_what_it_lacks(built: Path) -> None:
    with pytest.raises(
        CountersUnavailable, match="cuptiGetResultString: the library lacks"
    ) as refused:
        Counters(built / "counters.so", built / "counters.so", 0, context=SOME_CONTEXT)
    assert refused.value.why is Unavailable.NO_LIBRARY


@pytest.mark.parametrize(
    ("target", "chip", "passes"), [(Target.HOPPER, "GH100", 3), (Target.BLACKWELL, "GB100", 8)]
)
def test_cupti_knows_every_metric_of_a_target_and_takes_this_many_passes(
    built: Path, cupti: CuptiPlace, target: Target, chip: str, passes: int
) -> None:
    counters = Counters(built / "counters.so", cupti.library, 0, chip=chip)
    try:
        assert counters.configure(tuple(one.name for one in METRICS[target])) == passes
    finally:
        counters.close()
