"""The ledger on disk: it outlives its writer, is for its owner alone, and is never guessed at."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.adapters.pipes import readable
from evaluation.adapters.quarantine import GpuTaken, Holder, Quarantine
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.ledger import Ledger, Loss, Running
from evaluation.core.messages import Attempt

RUNNING = Running("ab" * 32, Attempt("0b1f6f0e-7a3a-4c0d-9c57-3f1f0c2b9a11", 1, "k" * 32))


def test_a_gpu_of_which_nothing_is_known_is_well(tmp_path: Path) -> None:
    assert Quarantine(tmp_path / "measure", "GPU-1").read() == Ledger()


def test_what_one_process_noted_the_next_one_reads(tmp_path: Path) -> None:
    Quarantine(tmp_path, "GPU-1").begin(RUNNING)
    assert Quarantine(tmp_path, "GPU-1").read() == Ledger(running=RUNNING)
    assert Quarantine(tmp_path, "GPU-2").read() == Ledger()


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    one = Quarantine(tmp_path / "measure", "GPU-1")
    one.begin(RUNNING)
    assert stat.S_IMODE(one.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(one.path.parent.stat().st_mode) == 0o700


def test_a_loss_a_sickness_and_a_drift_are_kept_apart_and_a_person_ends_the_last_two(
    tmp_path: Path,
) -> None:
    one = Quarantine(tmp_path, "GPU-1")
    one.begin(RUNNING)
    told = one.lose("Xid 79", by_time=False)
    one.set_sick("Xid 79")
    one.set_drifted("slow")
    loss = Loss("ab" * 32, "Xid 79", by_time=False)
    assert told == Ledger(losses=(loss,))
    assert one.read() == Ledger(None, (loss,), "Xid 79", "slow")
    one.lift()
    assert one.read() == Ledger(None, (loss,), "", "")


def test_a_kernel_that_ended_is_forgotten(tmp_path: Path) -> None:
    one = Quarantine(tmp_path, "GPU-1")
    one.begin(RUNNING)
    one.end()
    assert one.read() == Ledger()


def test_a_gpu_is_claimed_by_one_worker_at_a_time(tmp_path: Path) -> None:
    first, second = Quarantine(tmp_path, "GPU-1"), Quarantine(tmp_path, "GPU-1")
    first.claim()
    first.claim()
    with pytest.raises(GpuTaken) as caught:
        second.claim()
    assert (
        caught.value.what
        == f"another worker of this host has the GPU GPU-1 (process {os.getpid()})"
    )
    Quarantine(tmp_path, "GPU-2").claim()


def test_a_claim_says_who_has_the_gpu_and_ends_with_its_release(tmp_path: Path) -> None:
    first, second = Quarantine(tmp_path, "GPU-1"), Quarantine(tmp_path, "GPU-1")
    first.release()  # of nothing
    first.claim(Holder.COMMAND)
    with pytest.raises(GpuTaken, match=r"^a command of this host has the GPU GPU-1 "):
        second.claim()
    first.release()
    second.claim()
    with pytest.raises(GpuTaken, match=r"^a worker of this host has the GPU GPU-1 "):
        first.claim(Holder.COMMAND)


WORKER = """
import sys, time
from pathlib import Path
from evaluation.adapters import trusted_process
from evaluation.adapters.pipes import readable
from evaluation.adapters.quarantine import Quarantine
one = Quarantine(Path(sys.argv[1]), "GPU-1")
one.claim()
referee = trusted_process.start(("-c", "import time; time.sleep(100)"), (), keep=one.descriptor)
one.shared_with(referee.pid)
print(referee.pid, flush=True)
time.sleep(100)
"""


def test_a_worker_that_was_killed_leaves_the_gpu_claimed_until_its_referee_is_gone(
    tmp_path: Path,
) -> None:
    one = Quarantine(tmp_path, "GPU-1")
    with subprocess.Popen(
        (sys.executable, "-c", WORKER, str(tmp_path)), stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        referee = int(worker.stdout.readline())
        with pytest.raises(GpuTaken) as caught:
            one.claim(Holder.COMMAND)
        told = f"a worker of this host has the GPU GPU-1 (process {worker.pid})"
        assert caught.value.what == told
        worker.kill()
    with pytest.raises(GpuTaken) as caught:
        one.claim()
    told = f"the referee of a worker that ended still has the GPU GPU-1 (process {referee})"
    assert caught.value.what == told
    assert "within two minutes" in caught.value.action
    watched = os.pidfd_open(referee)
    os.kill(referee, signal.SIGKILL)
    assert readable(watched, seconds=20)
    os.close(watched)
    one.claim()


def test_who_has_nothing_shares_nothing(tmp_path: Path) -> None:
    one = Quarantine(tmp_path, "GPU-1")
    one.shared_with(1)
    assert one.descriptor is None
    assert list(tmp_path.iterdir()) == []


def test_a_holder_that_has_not_signed_is_called_a_worker(tmp_path: Path) -> None:
    first = Quarantine(tmp_path, "GPU-1")
    first.claim()
    for nonsense in ("", "worker", "root 1\n", "worker 1\nx"):
        (tmp_path / "GPU-1.lock").write_text(nonsense)
        with pytest.raises(GpuTaken) as caught:
            Quarantine(tmp_path, "GPU-1").claim(Holder.COMMAND)
        assert caught.value.what == "a worker of this host has the GPU GPU-1"


def test_a_file_that_nobody_of_ours_wrote_is_our_failure_and_says_where(tmp_path: Path) -> None:
    (tmp_path / "GPU-1.json").write_bytes(b"{}")
    with pytest.raises(
        ToolFailure, match=r"make sense of .*GPU-1\.json.*running: is missing"
    ) as caught:
        Quarantine(tmp_path, "GPU-1").read()
    assert "remove the file to begin anew" in caught.value.action


def test_a_folder_that_cannot_be_used_is_our_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ToolFailure, match="cannot read the ledger"):
        Quarantine(tmp_path / "file", "GPU-1").begin(RUNNING)


def test_a_ledger_that_cannot_be_written_is_our_failure(tmp_path: Path) -> None:
    (tmp_path / "GPU-1.json").mkdir()
    with pytest.raises(ToolFailure, match="cannot read the ledger of this GPU"):
        Quarantine(tmp_path, "GPU-1").read()
