"""How host code can end a recording: by touching tokens, by crashing, by using up its limits, while loading."""

from collections.abc import Callable
from pathlib import Path

import pytest
from recordings import Record

pytest_plugins = ("recording_fixtures",)
pytestmark = pytest.mark.toolchain


@pytest.mark.parametrize(
    ("action", "where"),
    [
        ("touch_tensor", "argument 1 set 0"),
        ("touch_allocation", "allocation 0"),
        ("touch_symbol", "symbol weights"),
        ("touch_nothing", ""),
    ],
)
def test_host_code_that_touches_a_token_is_told_which(act: Record, action: str, where: str) -> None:
    recorded = act(action)
    last = recorded.events[-1]
    assert (last["e"], last["signal"], last["where"]) == ("crash", 11, where)
    assert recorded.raw.exit_code == 4


@pytest.mark.parametrize(
    ("action", "signal"), [("divide", 8), ("abort", 6), ("overflow_stack", 11), ("uncaught", 6)]
)
def test_a_crash_is_written_down_with_its_signal(act: Record, action: str, signal: int) -> None:
    last = act(action).events[-1]
    assert (last["e"], last["signal"], last["where"]) == ("crash", signal, "")


def test_host_code_that_spins_is_ended_by_its_cpu_time(act: Record) -> None:
    recorded = act("spin", cpu_seconds=1)
    assert recorded.raw.cpu_exhausted
    assert recorded.events[-1] == {"e": "call", "n": 1, "set": 0}


def test_host_code_gets_no_more_memory_than_its_limit(act: Record) -> None:
    # malloc says no in the end; host code that can live with that is recorded.
    assert act("take_memory", calls=1).told == [77]


LOADS = """
#include <stdexcept>
#include <cuda_runtime_api.h>
#include <tvm/ffi/c_api.h>
extern "C" void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t, int, int);
static int first = [] {{ {body}; return 0; }}();
extern "C" __attribute__((visibility("default"))) int {name}(void*, const TVMFFIAny*, int32_t, TVMFFIAny*) {{
  {call}
  return 0;
}}
"""


@pytest.fixture
def load(build_library: Callable[..., bytes], record_library: Record, tmp_path: Path) -> Record:
    """Record a library that does something while it is loaded or in its call."""

    def record(body: str = "", call: str = "", name: str = "__tvm_ffi_run", **how: int) -> object:
        source = tmp_path / "loads.cpp"
        source.write_text(LOADS.format(body=body, call=call, name=name))
        return record_library(build_library(source), **how)

    return record  # type: ignore[return-value]


def test_what_an_initialiser_does_belongs_to_call_0(load: Record) -> None:
    recorded = load("void* room; cudaMalloc(&room, 64)", calls=1)
    (made,) = recorded.in_call(0)
    assert (made["e"], made["size"]) == ("alloc", 64)
    assert recorded.events[-1]["e"] == "end"


def test_an_initialiser_that_throws_crashes_while_loading(load: Record) -> None:
    recorded = load('throw std::runtime_error("no")')
    assert [one["n"] for one in recorded.of("call")] == [0]
    assert recorded.events[-1]["e"] == "crash"


def test_an_initialiser_that_spins_is_ended_by_its_cpu_time(load: Record) -> None:
    recorded = load("volatile int stop = 0; while (stop == 0) {}", cpu_seconds=1)
    assert recorded.raw.cpu_exhausted
    assert recorded.events[-1] == {"e": "call", "n": 0, "set": 0}


def test_a_library_without_run_is_refused(load: Record) -> None:
    assert load(name="other").refused == ("__tvm_ffi_run", "the library exports no function run")


def test_a_library_that_does_not_load_is_refused_with_the_loader_s_reason(load: Record) -> None:
    call, why = load(call="extern int nobody_has_this(); nobody_has_this();").refused
    assert call == "dlopen"
    assert "nobody_has_this" in why


def test_an_error_of_tvm_ffi_is_returned_with_its_message(load: Record) -> None:
    recorded = load(
        call='TVMFFIErrorSetRaisedFromCStr("ValueError", "rows \\"17\\"\\n\\xff\\xc3\\xa9"); return -1;',
        calls=1,
    )
    assert recorded.of("return")[-1] == {
        "e": "return",
        "n": 1,
        "status": -1,
        "message": 'rows "17"\n\N{REPLACEMENT CHARACTER}\N{LATIN SMALL LETTER E WITH ACUTE}',
    }
    assert recorded.events[-1]["e"] == "end"


def test_a_message_is_cut_at_4000_characters(load: Record) -> None:
    recorded = load(
        call="static char text[9000]; for (char& one : text) one = 'x'; text[8999] = 0;"
        'TVMFFIErrorSetRaisedFromCStr("ValueError", text); return 1;',
        calls=1,
    )
    assert recorded.of("return")[-1]["message"] == "x" * 4000


def test_managed_memory_is_refused_while_it_is_registered(load: Record) -> None:
    recorded = load(
        '__cudaRegisterManagedVar(nullptr, nullptr, nullptr, "shared_state", 0, 4, 0, 0)'
    )
    call, why = recorded.refused
    assert call == "__cudaRegisterManagedVar"
    assert "shared_state" in why
