"""Which GPUs are found: none without nodes, and a reason for each that will not do."""

import os
from pathlib import Path

from portal.quickstart.gpus import FoundGpu, look
from portal.quickstart.services import gpu_environment


def test_a_machine_without_nodes_of_a_driver_has_no_gpu_and_starts_no_process(
    tmp_path: Path,
) -> None:
    assert look({}, nodes=tmp_path) == ()


def test_a_node_with_no_driver_behind_it_is_no_gpu_to_measure_on(tmp_path: Path) -> None:
    (tmp_path / "nvidia7777").touch()
    (tmp_path / "nvidiactl").touch()
    environment = {**gpu_environment(os.environ), "CUDA_VISIBLE_DEVICES": ""}
    (found,) = look(environment, nodes=tmp_path)
    assert (found.number, found.product) == (0, "")
    assert found.why


def test_looking_that_fails_says_so_with_its_last_words(tmp_path: Path) -> None:
    (tmp_path / "nvidia0").touch()
    (found,) = look({"PYTHONPATH": "/nonexistent"}, nodes=tmp_path)
    assert isinstance(found, FoundGpu)
    assert found.why.startswith("looking for it failed: ")
    assert "ModuleNotFoundError" in found.why
