import ctypes
import struct

import pytest
from cuda.bindings import driver as bindings

from evaluation.adapters.gpu import driver, driver_launch, memory

SUCCESS = bindings.CUresult.CUDA_SUCCESS


def test_a_call_with_one_value_gives_that_value_and_with_none_gives_none() -> None:
    assert driver.ask(lambda: (SUCCESS,)) is None
    assert driver.ask(lambda: (SUCCESS, 7)) == 7
    assert driver.ask(lambda one: (SUCCESS, one, 8), 7) == (7, 8)


def test_a_refused_call_raises_with_code_name_and_call() -> None:
    def cu_launch() -> tuple[object, None]:
        return bindings.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS, None

    with pytest.raises(driver.CudaError) as caught:
        driver.ask(cu_launch)
    assert caught.value.code == 700
    assert caught.value.name == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert caught.value.call == "cu_launch"
    assert str(caught.value) == "cu_launch returned CUDA_ERROR_ILLEGAL_ADDRESS (700)"


def test_a_result_code_that_the_bindings_do_not_know_keeps_its_number() -> None:
    def young() -> object:
        codes: dict[int, str] = {}
        return codes[12345]

    with pytest.raises(driver.CudaError) as caught:
        driver.ask(young)
    assert (caught.value.code, caught.value.name) == (12345, "CUDA_ERROR_12345")


def test_a_launch_configuration_lies_in_memory_as_the_driver_reads_it() -> None:
    shape = driver.LaunchShape((1, 2, 3), (4, 5, 6), 7)
    config = driver_launch.configuration(shape, 0x1234)
    content = ctypes.string_at(config.getPtr(), 56)
    assert struct.unpack("<7I4xQQI4x", content) == (1, 2, 3, 4, 5, 6, 7, 0x1234, 0, 0)


def test_launch_attributes_lie_in_memory_as_the_driver_reads_them() -> None:
    shape = driver.LaunchShape(
        (8, 1, 1),
        (128, 1, 1),
        cooperative=True,
        cluster=(2, 1, 1),
        preferred_cluster=(4, 2, 1),
        cluster_policy=1,
        programmatic_serialization=True,
    )
    config = driver_launch.configuration(shape, 0)
    address, count = struct.unpack("<QI", ctypes.string_at(config.getPtr() + 40, 12))
    rows = [
        struct.unpack("<I4x3I", ctypes.string_at(address + 72 * place, 20))
        for place in range(count)
    ]
    # Ids of CUlaunchAttributeID, values of CUlaunchAttributeValue.
    assert rows == [(2, 1, 0, 0), (4, 2, 1, 1), (11, 4, 2, 1), (5, 1, 0, 0), (6, 1, 0, 0)]


def test_parameters_are_found_through_their_pointers_each_at_an_aligned_address() -> None:
    parameters = (b"\x01", bytes(range(200)), b"\x05\x06\x07\x08")
    block = driver_launch.Parameters(parameters)
    pointers = struct.unpack("<3Q", ctypes.string_at(block.address, 24))
    assert [
        ctypes.string_at(at, len(p)) for at, p in zip(pointers, parameters, strict=True)
    ] == list(parameters)
    assert all(at % 64 == 0 for at in pointers)


def test_a_kernel_without_parameters_gets_an_address_all_the_same() -> None:
    assert driver_launch.Parameters(()).address


def buffer(size: int) -> memory.Buffer:
    return memory.Buffer(size, 0x400000, 0x10200000, 0x10000000, 0x800000, 1, writable=True)


def test_a_buffer_begins_at_its_base_or_ends_where_the_unmapped_range_begins() -> None:
    assert buffer(0x200001).address(end_aligned=False) == 0x10200000
    assert buffer(0x200001).address(end_aligned=True) == 0x10200000 + 0x400000 - 0x200100
    assert buffer(0x400000).address(end_aligned=True) == 0x10200000


def test_the_slack_is_what_of_the_mapped_range_a_buffer_does_not_use() -> None:
    assert buffer(0x200001).slack(end_aligned=False) == ((0x10400001, 0x1FFFFF),)
    assert buffer(0x200001).slack(end_aligned=True) == (
        (0x10200000, 0x1FFF00),
        (0x105FFF01, 0xFF),
    )
    assert buffer(0x400000).slack(end_aligned=True) == ()


def test_memory_is_asked_for_as_a_shareable_file_on_its_device() -> None:
    content = ctypes.string_at(memory._property(3).getPtr(), 32)
    # CUmemAllocationProp: type pinned, handle type file descriptor, location device 3, nothing else.
    assert struct.unpack("<4I2Q", content) == (1, 1, 1, 3, 0, 0)
