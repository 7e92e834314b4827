"""Nsight Compute and compute-sanitizer around a command, with doubles of the tools and our own scripts for real."""

import json
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from bare_jail import BareJail

from evaluation.adapters.gpu.instrumented import WALL_SECONDS
from evaluation.adapters.gpu.memcheck import Sanitizer, SanitizerTool, find_sanitizer
from evaluation.adapters.gpu.nsight import Nsight, find_nsight
from evaluation.core.measure.examination import Hindrance, NotRun
from evaluation.core.measure.nsight_counts import NsightCounts
from evaluation.core.ports import Bind, Captured, JailCommand, JailResult, Limits
from evaluation.core.probe.sanitizer_report import SanitizerReport
from evaluation.core.probe.sass_counts import SassCounts

SMALL = Limits(5.0, 5, 1 << 30, 1 << 20, 1 << 20, 8, 32, 1024, 1024)
COMMAND = JailCommand(("/usr/bin/env", "true", "one word"), SMALL, environment=(("LC_ALL", "C"),))
RECORD = "<record><what><text>Invalid read</text></what></record>"

# Stands for Nsight's own module: a report is a file of JSON, and what it says is served by the same calls.
MODULE = """
import json

class IAction:
    NameBase_MANGLED = 3

class Metric:
    def __init__(self, values, ids=None):
        self.values, self.ids = values, ids
    def has_correlation_ids(self): return self.ids is not None
    def correlation_ids(self): return Metric(self.ids)
    def num_instances(self): return len(self.values)
    def as_uint64(self, index): return self.values[index]
    def as_double(self): return float(self.values)

class Action:
    def __init__(self, said): self.said = said
    def name(self, base):
        assert base == IAction.NameBase_MANGLED
        return self.said["name"]
    def metric_by_name(self, name):
        if name in self.said.get("metrics", {}): return Metric(self.said["metrics"][name])
        if name != "thread_inst_executed_true": return None
        return Metric(self.said["threads"], self.said.get("pcs")) if "threads" in self.said else None

class Some:
    def __init__(self, items): self.items = items
    def num_ranges(self): return len(self.items)
    num_actions = num_ranges
    def range_by_idx(self, index): return self.items[index]
    action_by_idx = range_by_idx

def load_report(path):
    return Some([Some([Action(one) for one in json.load(open(path))])])
"""


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/usr/bin/bash\n" + textwrap.dedent(text))
    path.chmod(0o755)


@pytest.fixture
def jail(tmp_path: Path) -> BareJail:
    return BareJail(tmp_path)


@pytest.fixture
def nsight(tmp_path: Path, jail: BareJail) -> Callable[[str], Nsight]:
    """Nsight Compute whose ``ncu`` does what is given, with its arguments in ``arguments``."""

    def made(does: str) -> Nsight:
        folder = tmp_path / "nsight-compute-2025.3.1"
        program(folder / "ncu", f'printf "%s\\n" "$@" > {tmp_path}/arguments\n{FIND}\n{does}')
        (folder / "extras/python").mkdir(parents=True)
        (folder / "extras/python/ncu_report.py").write_text(MODULE)
        return Nsight(jail, folder, sys.executable)

    return made


FIND = """
told=${@: -1}
while [ $# -gt 0 ]; do
  case $1 in
    --export) report=$2.ncu-rep ;;
    --log-file) log=$2 ;;
  esac
  shift
done
"""


def reporting(*launches: dict[str, object]) -> str:
    return f"printf '%s' '{json.dumps(launches)}' > $report"


def test_counts_by_address_start_at_the_functions_first_instruction(
    nsight: Callable[[str], Nsight], tmp_path: Path
) -> None:
    tool = nsight(
        reporting(
            {"name": "gemm", "pcs": [0x7F0020, 0x7F0000, 0x7F0010], "threads": [7, 128, 0]},
            {"name": "gemm", "pcs": [0x7F0000], "threads": [2]},
        )
    )
    assert tool.counts(COMMAND, ("gemm", "_Z3foov.$x")) == SassCounts(
        2, (("gemm", 0, 130), ("gemm", 16, 0), ("gemm", 32, 7))
    )
    said = (tmp_path / "arguments").read_text().splitlines()
    assert said[-3:] == ["/usr/bin/env", "true", "one word"]
    assert r"regex:^(gemm|_Z3foov\.\$x)$" in said
    assert said[said.index("--clock-control") + 1] == "none"


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("exit 1", Hindrance.FAILED),
        (
            'echo "==ERROR== ERR_NVGPUCTRPERM - no permission" > $log; exit 1',
            Hindrance.NO_PERMISSION,
        ),
        ("printf 'no report' > $report", Hindrance.FAILED),
        (reporting({"name": "gemm"}), Hindrance.FAILED),
        (reporting({"name": "gemm", "threads": [1]}), Hindrance.FAILED),
        (reporting({"name": "gemm", "pcs": [0, 8], "threads": [1, 1]}), Hindrance.UNREADABLE),
        (reporting({"name": "gemm", "pcs": [], "threads": []}), Hindrance.UNREADABLE),
    ],
)
def test_a_profiler_that_brings_nothing_says_why(
    nsight: Callable[[str], Nsight], does: str, why: Hindrance
) -> None:
    found = nsight(does).counts(COMMAND, ("gemm",))
    assert isinstance(found, NotRun)
    assert found.why is why


# Compared with the uncounted call: in each of two counted ones the one output is the same.
ALIKE = [{"elements": 8, "nonfinite": 0, "outside": 0, "outside_fourfold": 0}] * 2


def telling(said: object, *launches: dict[str, object]) -> str:
    """What the double of ncu does: its report, and what the program under it would have told."""
    return f"{reporting(*launches)}\nprintf '%s' '{json.dumps(said)}' > $told"


def counters(tool: Nsight) -> NsightCounts | NotRun:
    return tool.counters(COMMAND, ("gemm", "split"), ("a.sum", "b.max"), skip=5, launches=4)


def test_counters_by_launch_are_read_in_the_order_they_were_asked_for(
    nsight: Callable[[str], Nsight], tmp_path: Path
) -> None:
    gemm: dict[str, object] = {"name": "gemm", "metrics": {"b.max": 7.4, "a.sum": 601_295_421_440}}
    split: dict[str, object] = {"name": "split", "metrics": {"b.max": 0, "a.sum": 1}}
    found = counters(nsight(telling(ALIKE, gemm, split)))
    assert isinstance(found, NsightCounts)
    assert found.launches == (("gemm", (601_295_421_440, 7)), ("split", (1, 0)))
    assert [(one.elements, one.outside) for one in found.compared] == [(8, 0), (8, 0)]
    said = (tmp_path / "arguments").read_text().splitlines()
    assert said[said.index("--metrics") + 1] == "a.sum,b.max"
    assert said[said.index("--launch-skip") + 1] == "5"
    assert said[said.index("--launch-count") + 1] == "4"
    assert said[-4:-1] == ["/usr/bin/env", "true", "one word"]
    assert said[-1].endswith("/told")


def test_a_program_that_told_nothing_has_compared_nothing(nsight: Callable[[str], Nsight]) -> None:
    found = counters(nsight(reporting({"name": "gemm", "metrics": {"a.sum": 1, "b.max": 2}})))
    assert isinstance(found, NsightCounts)
    assert found.compared == ()


@pytest.mark.parametrize(
    ("does", "why"),
    [
        (telling(ALIKE, {"name": "gemm", "metrics": {"a.sum": 1}}), Hindrance.FAILED),
        (
            telling(ALIKE, {"name": "gemm", "metrics": {"a.sum": -1, "b.max": 1}}),
            Hindrance.UNREADABLE,
        ),
        (
            telling([{"elements": 8}], {"name": "gemm", "metrics": {"a.sum": 1, "b.max": 1}}),
            Hindrance.UNREADABLE,
        ),
        ('echo "==ERROR== ERR_NVGPUCTRPERM" > $log; exit 1', Hindrance.NO_PERMISSION),
        ("echo '==ERROR== Failed to find metric a.sum' > $log; exit 1", Hindrance.FAILED),
    ],
)
def test_counters_that_cannot_be_read_say_why(
    nsight: Callable[[str], Nsight], does: str, why: Hindrance
) -> None:
    found = counters(nsight(does))
    assert isinstance(found, NotRun)
    assert found.why is why


def test_without_the_tools_nothing_is_run(jail: BareJail) -> None:
    missing = NotRun(Hindrance.MISSING, "Nsight Compute is not installed on this host")
    assert Nsight(jail, None, sys.executable).counts(COMMAND, ("gemm",)) == missing
    assert counters(Nsight(jail, None, sys.executable)) == missing
    found = Sanitizer(jail, None).check(COMMAND, SanitizerTool.MEMORY)
    assert isinstance(found, NotRun)
    assert found.why is Hindrance.MISSING


@pytest.mark.parametrize("functions", [(), ("gemm", "a|b"), ("x" * 1025,), ("",)])
def test_names_that_no_assembler_writes_are_refused(
    nsight: Callable[[str], Nsight], functions: tuple[str, ...]
) -> None:
    found = nsight("exit 0").counts(COMMAND, functions)
    assert isinstance(found, NotRun)
    assert found.why is Hindrance.FAILED


@pytest.fixture
def sanitizer(tmp_path: Path, jail: BareJail) -> Callable[[str], Sanitizer]:
    def made(does: str) -> Sanitizer:
        find = FIND.replace("--export) report=$2.ncu-rep", "--save) report=$2")
        program(
            tmp_path / "sanitizer/compute-sanitizer",
            f'printf "%s\\n" "$@" > {tmp_path}/arguments\n{find}\n{does}',
        )
        return Sanitizer(jail, tmp_path / "sanitizer")

    return made


def xml(inside: str) -> str:
    return f"printf '%s' '<ComputeSanitizerOutput>{inside}</ComputeSanitizerOutput>' > $report"


def test_no_records_and_exit_code_zero_found_nothing(
    sanitizer: Callable[[str], Sanitizer], tmp_path: Path
) -> None:
    found = sanitizer(xml("")).check(COMMAND, SanitizerTool.RACES)
    assert found == SanitizerReport(0, ())
    said = (tmp_path / "arguments").read_text().splitlines()
    assert said[:2] == ["--tool", "racecheck"]
    assert said[-3:] == ["/usr/bin/env", "true", "one word"]


def test_a_record_and_the_exit_code_are_a_finding(
    sanitizer: Callable[[str], Sanitizer],
) -> None:
    found = sanitizer(f"{xml(RECORD)}\nexit 66").check(COMMAND, SanitizerTool.MEMORY)
    assert found == SanitizerReport(1, ("'Invalid read'",))


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("exit 0", Hindrance.FAILED),
        (f"{xml(RECORD)}\nexit 0", Hindrance.UNREADABLE),
        (f"{xml('')}\nexit 66", Hindrance.UNREADABLE),
        (f"{xml('')}\nexit 3", Hindrance.FAILED),
        ("printf '<other/>' > $report; exit 66", Hindrance.UNREADABLE),
        ("head -c 5000000 /dev/zero > $report; exit 66", Hindrance.TOO_MUCH),
    ],
)
def test_a_sanitizer_that_contradicts_itself_is_not_believed(
    sanitizer: Callable[[str], Sanitizer], does: str, why: Hindrance
) -> None:
    found = sanitizer(does).check(COMMAND, SanitizerTool.INITIALISED)
    assert isinstance(found, NotRun)
    assert found.why is why


@pytest.mark.parametrize("code", [0, 3, 66])
def test_a_sanitizer_without_a_report_is_quoted_for_the_operator(
    sanitizer: Callable[[str], Sanitizer], code: int
) -> None:
    says = (
        f"echo 'Unable to connect'; head -c 5000 /dev/zero | tr '\\0' x; echo end >&2; exit {code}"
    )
    found = sanitizer(says).check(COMMAND, SanitizerTool.MEMORY)
    assert isinstance(found, NotRun)
    assert found.detail.startswith("compute-sanitizer left no report: 'xxx")
    assert found.detail.endswith("xxxend'")
    assert len(found.detail) < 500


def test_a_profiler_without_a_report_is_quoted_for_the_operator(
    nsight: Callable[[str], Nsight],
) -> None:
    found = nsight("echo '==ERROR== Cannot connect' > $log; exit 1").counts(COMMAND, ("gemm",))
    assert isinstance(found, NotRun)
    assert found.detail == "Nsight Compute left no report: '==ERROR== Cannot connect'"


def test_a_run_past_the_limit_is_too_slow(
    sanitizer: Callable[[str], Sanitizer], tmp_path: Path
) -> None:
    slow = Sanitizer(BareJail(tmp_path, seconds=0.5), sanitizer("sleep 30").folder)
    found = slow.check(COMMAND, SanitizerTool.MEMORY)
    assert found == NotRun(
        Hindrance.TOO_SLOW, f"compute-sanitizer did not end within {WALL_SECONDS:g} s"
    )


class Recording:
    """A jail that only notes what it was asked."""

    def __init__(self) -> None:
        self.commands: list[JailCommand] = []

    def run(self, command: JailCommand) -> JailResult:
        self.commands.append(command)
        outputs = {one.name: Captured(b"") for one in command.outputs}
        nothing = Captured(b"")
        return JailResult(78, None, False, False, False, nothing, nothing, outputs, 0.1)  # noqa: FBT003 - a record


def test_the_commands_own_view_and_devices_stay_and_the_limit_is_a_minute(tmp_path: Path) -> None:
    jail = Recording()
    bound = Bind(PurePosixPath("/driver"), "/driver")
    command = JailCommand(("/python", "x"), SMALL, binds=(bound,), devices=("/dev/nvidia0",))
    Sanitizer(jail, tmp_path).check(command, SanitizerTool.MEMORY)
    (asked,) = jail.commands
    assert asked.devices == ("/dev/nvidia0",)
    assert asked.binds == (bound, Bind(PurePosixPath(tmp_path), "/sanitizer"))
    assert asked.argv[-2:] == ("/python", "x")
    assert asked.limits.wall_seconds == 60


def test_the_newest_nsight_and_the_sanitizer_are_found(tmp_path: Path) -> None:
    for name in ("nsight-compute-2024.3.0", "nsight-compute-2025.3.1", "nsight-compute-2026.1.0"):
        program(tmp_path / name / "ncu", "")
        (tmp_path / name / "extras/python").mkdir(parents=True)
        if "2026" not in name:  # one without its module does not serve
            (tmp_path / name / "extras/python/ncu_report.py").write_text("")
    assert find_nsight((tmp_path, tmp_path / "none")) == tmp_path / "nsight-compute-2025.3.1"
    assert find_nsight((tmp_path / "none",)) is None
    program(tmp_path / "sanitizer/compute-sanitizer", "")
    assert find_sanitizer((tmp_path, tmp_path / "sanitizer")) == tmp_path / "sanitizer"
    assert find_sanitizer((tmp_path,)) is None
