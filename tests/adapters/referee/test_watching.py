"""Keys and what they keep: hashes of inputs and slack."""

from itertools import islice

import pytest

from evaluation.adapters.referee.buffers import Tensor
from evaluation.adapters.referee.keys import keys
from evaluation.adapters.referee.watching import watched
from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Argument


def tensor(
    address: int, size: int, *, is_output: bool, slack: tuple[tuple[int, int], ...] = ()
) -> Tensor:
    return Tensor(Argument("X", is_output, DType.FLOAT32, (size // 4,), size), address, slack)


PLACE = (
    tensor(0x1000, 256, is_output=False, slack=((0x1100, 64),)),
    tensor(0x2000, 512, is_output=False),
    tensor(0x3000, 128, is_output=True, slack=((0x2F00, 256), (0x3080, 8))),
)


class Hasher:
    """Stands for the trusted kernels: notes what is to be hashed and where the result goes."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int, int, int]] = []

    def hash(self, stream: int, address: int, size: int, result: int, *, key: int) -> None:
        assert stream == 7
        self.asked.append((address, size, result, key))


def test_all_inputs_are_hashed_and_of_outputs_the_slack_alone() -> None:
    hasher = Hasher()
    seen = watched(PLACE, key=99)
    seen.hash_all(hasher, 7, 0x9000)
    assert hasher.asked == [
        (0x1000, 256, 0x9000, 99),
        (0x2000, 512, 0x9008, 99),
        (0x1100, 64, 0x9010, 99),
        (0x2F00, 256, 0x9018, 99),
        (0x3080, 8, 0x9020, 99),
    ]
    assert seen.size == 40


@pytest.mark.parametrize(
    ("changed", "intact"),
    [
        (None, (True, True)),
        (0, (False, True)),
        (15, (False, True)),
        (16, (True, False)),
        (39, (True, False)),
    ],
)
def test_a_changed_hash_tells_whether_it_was_an_input(
    changed: int | None, intact: tuple[bool, bool]
) -> None:
    before = bytearray(range(40))
    after = bytearray(before)
    if changed is not None:
        after[changed] ^= 1
    assert watched(PLACE, key=1).intact(bytes(before), bytes(after)) == intact


def test_keys_never_repeat_and_depend_on_the_nonce() -> None:
    some = list(islice(keys(b"a" * 32), 1000))
    assert len(set(some)) == 1000
    assert all(0 <= key < 2**64 for key in some)
    assert not set(some) & set(islice(keys(b"b" * 32), 1000))
    # sha256sum of 32 letters a and eight zero bytes begins e2fb87964c0d5b86.
    assert some[0] == 0x865B_0D4C_9687_FBE2
    with pytest.raises(ValueError, match="at least 32"):
        next(keys(b"short"))
