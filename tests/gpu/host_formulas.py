"""What the kernels of ``golden/hosts`` write, worked out on the processor from their sources, apart from any launcher.

Every input element is one of sixteen bf16 numbers with two bits of mantissa (``random_input``), so products and sums of
5,120 of them are exact in float32 and no order of adding matters. Read as float32, pairs of them are ordinary numbers.
Needs PyTorch.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

M, N, K = 8192, 7168, 5120  # gemm_n7168_k5120: A[M, K], B[N, K], C[M, N]
A, B, C = 0, 1, 2
Q, KEYS, OUT, LSE = 0, 1, 3, 4  # mha_with_lse_d128: Q, K, V, O, LSE
SEQUENCE, HEADS = 4096, 48
CHECKED_ROWS = (0, 1, 63, 64, 2047, 4096, 5000, 8191)  # of a whole product


@dataclass(frozen=True, slots=True)
class Expected:
    """``rows`` must lie in argument ``place`` from byte ``at`` on, ``pitch`` bytes apart."""

    place: int
    at: int
    rows: torch.Tensor
    pitch: int = 0


@dataclass(frozen=True, slots=True)
class Given:
    """Inputs by their place, as flat tensors of 16-bit patterns."""

    patterns: Mapping[int, torch.Tensor]

    def bits(self, place: int, *shape: int) -> torch.Tensor:
        return self.patterns[place].view(shape or (-1,))

    def words(self, place: int, *shape: int) -> torch.Tensor:
        return self.patterns[place].view(torch.int32).view(shape or (-1,))

    def floats(self, place: int, count: int) -> torch.Tensor:
        """Read it as float32, as the kernels do that take a pointer to float."""
        return self.patterns[place].view(torch.float32)[:count]

    def numbers(self, place: int, *shape: int) -> torch.Tensor:
        return self.patterns[place].view(torch.bfloat16).view(shape or (-1,))


Formula = Callable[[Given], Iterator[Expected]]


def random_input(size: int, seed: int) -> torch.Tensor:
    """Give ``size`` bytes: either sign, 0.5 to 1.75, two bits of mantissa."""
    made = torch.Generator().manual_seed(seed)
    drawn = torch.randint(0, 16, (size // 2,), generator=made, dtype=torch.int16)
    magnitude = 0x3F00 + (drawn & 7) * 0x20
    return torch.where(drawn >= 8, magnitude - 0x8000, magnitude)


def truncated(values: torch.Tensor) -> torch.Tensor:
    """The upper half of each float32: what ``__float_as_uint(x) >> 16`` keeps."""
    return (values.to(torch.float32).contiguous().view(torch.int32) >> 16).to(torch.int16)


def whole(place: int, values: torch.Tensor) -> Iterator[Expected]:
    yield Expected(place, 0, values.reshape(1, -1))


def copied(count: int) -> Formula:
    """C begins with the first ``count`` float32 of A."""
    return lambda given: whole(C, given.floats(A, count))


def product(given: Given) -> Iterator[Expected]:
    rows = given.numbers(A, M, K)[list(CHECKED_ROWS)].double()
    sums = truncated(rows @ given.numbers(B, N, K).double().T)
    for row, values in zip(CHECKED_ROWS, sums, strict=True):
        yield Expected(C, row * N * 2, values.reshape(1, -1))


def cooperative(given: Given) -> Iterator[Expected]:
    """Every block reads what the next thread of the grid wrote before ``grid.sync``: 264 blocks of 256."""
    count = 264 * 256
    at = torch.arange(count) % K
    products = given.numbers(A)[at].float() * given.numbers(B)[at].float()
    return whole(C, truncated(products.roll(-1)))


def cooperative_attribute(given: Given) -> Iterator[Expected]:
    count = 16384 * 512
    left, right = (given.words(place)[: 2 * count].view(count, 2) for place in (A, B))
    return whole(C, torch.stack((left[:, 0] ^ right[:, 0], left[:, 1]), 1))


def cluster_pairs(given: Given) -> Iterator[Expected]:
    tiles = 28 * 64
    left, right = (given.words(place)[: tiles * 512].view(tiles, 128, 4) for place in (A, B))
    rank = (torch.arange(tiles, dtype=torch.int32) % 28 % 2)[:, None].expand(tiles, 128)
    sizes = (torch.full_like(left[..., 0], size) for size in (M * N, K))
    return whole(
        C, torch.stack((left[..., 0] ^ right[..., 0], left[..., 1] + rank, *sizes), dim=-1)
    )


def cluster_of_sixteen(given: Given) -> Iterator[Expected]:
    count = 1792 * 256
    left, right = (given.words(place)[: 4 * count].view(count, 4) for place in (A, B))
    rank = (torch.arange(count, dtype=torch.int32) // 256) % 16
    return whole(C, torch.stack((left[:, 0], right[:, 1], rank, torch.zeros_like(rank)), 1))


def cluster_neighbour(given: Given) -> Iterator[Expected]:
    """Each block of a pair reads the first word of its neighbour's shared memory."""
    left = given.words(A)[: 1024 * 256 * 4].view(1024, 256, 4)[..., 0]
    right = given.words(B)[: 256 * 4].view(256, 4)[:, 0].expand(1024, 256)
    rank = (torch.arange(1024, dtype=torch.int32) % 2)[:, None].expand(1024, 256)
    other = left.view(512, 2, 256).flip(1).reshape(1024, 256)
    return whole(C, torch.stack((other, right, rank, torch.zeros_like(rank)), dim=-1))


def tiles(join: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Formula:
    """Block (x, y) joins the first 64 columns of 64 rows of A from 64 y on and of B from 64 x on."""

    def formula(given: Given) -> Iterator[Expected]:
        left = given.bits(A, M // 64, 1, 64, K)[..., :64]
        right = given.bits(B, 1, N // 64, 64, K)[..., :64]
        joined = join(left, right)  # y, x, row, column
        return whole(C, joined.permute(0, 2, 1, 3))

    return formula


def first_columns(given: Given) -> Iterator[Expected]:
    """Through maps, 64 columns of A arrive where they were."""
    yield Expected(C, 0, given.bits(A, M, K)[:, :64], N * 2)


def columns_of_both(given: Given) -> Iterator[Expected]:
    for place, rows in ((A, N), (B, N)):
        yield Expected(C, place * 128, given.bits(place, -1, K)[:rows, :64], N * 2)


def columns_of_all_rows(given: Given) -> Iterator[Expected]:
    for place, rows in ((A, M), (B, N)):
        yield Expected(C, place * 128, given.bits(place, rows, K)[:, :64], N * 2)


def uploaded_tables(given: Given) -> Iterator[Expected]:
    count = 3072 * 256
    positions = torch.arange(SEQUENCE, dtype=torch.float32) * torch.tensor(0.001)
    slopes = torch.tensor([2.0 ** -(head // 6) for head in range(HEADS)])
    at = torch.arange(count)
    head = HEADS - 1 - (at // 256) % HEADS
    return whole(LSE, given.floats(Q, count) + positions[at % SEQUENCE] * slopes[head])


def uploaded_list(given: Given) -> Iterator[Expected]:
    weights = torch.tensor([1.0, 2.0, 3.0])[:, None]
    return whole(C, given.floats(A, 768).view(3, 256) * weights)


def uploaded_settings(given: Given) -> Iterator[Expected]:
    return whole(C, given.floats(A, 2048 * 256) + 0.5 * (M - N))


def multiplied(given: Given) -> Iterator[Expected]:
    return whole(C, given.floats(A, 1 << 20) * given.floats(B, 1 << 20))


def copies(given: Given) -> Iterator[Expected]:
    """Copies of one, two and three dimensions; in between a kernel adds 1 to each word of the first MiB."""
    pitch, row = 10496, K * 2
    touched = 1 << 20
    padded = torch.zeros(M, pitch // 4, dtype=torch.int32)
    padded[:, : row // 4] = given.words(A, M, K // 2)
    padded.view(-1)[: touched // 4] += 1
    filled = (
        touched // pitch
    )  # rows that lie whole in the first MiB; what is behind a row's end is nobody's
    yield Expected(C, 0, padded[:filled, : row // 4], pitch)
    yield Expected(C, 1 << 20, given.words(B)[:1024].view(1, -1))
    yield Expected(C, 2 << 20, padded.view(-1)[64:192].view(1, -1))
    for slice_ in range(2):
        rows = padded[4096 * slice_ : 4096 * slice_ + 16, : row // 4]
        yield Expected(C, (4 << 20) + slice_ * 16 * 14336, rows, 14336)


def scaled_by_first_row(given: Given) -> Iterator[Expected]:
    return whole(C, given.floats(A, 1 << 18).view(-1, 1024) * given.floats(B, 1024))


def set_to_bytes(given: Given) -> Iterator[Expected]:
    del given
    yield Expected(C, 0, torch.zeros(64, N, dtype=torch.int16), N * 2)
    yield Expected(C, 64 * N * 2, torch.full((64, N // 2), -1, dtype=torch.int16), N * 2)


def stepped(given: Given) -> Iterator[Expected]:
    """A kernel traps where the number that grows from call to call is not the one its neighbour left."""
    return whole(C, given.floats(A, 1 << 18) + 1.0)


def summed_in_pairs(given: Given) -> Iterator[Expected]:
    count = 2048 * 1024
    products = (given.floats(A, count) * given.floats(B, count)).view(-1, 2)
    return whole(C, products.sum(1, keepdim=True).expand(-1, 2))


def split_in_four(given: Given) -> Iterator[Expected]:
    part = given.floats(A, 1 << 20) * given.floats(B, 1 << 20) * 0.5
    return whole(C, part + part + part + part)


def joined_streams(given: Given) -> Iterator[Expected]:
    return whole(C, given.floats(B, 1 << 18) + given.floats(A, 1 << 18))


def read_back_in_shared_memory(given: Given) -> Iterator[Expected]:
    """Four kernels shift each row of 16,384 by 1, 2, 3 and 4."""
    return whole(C, given.floats(A, 256 * 16384).view(256, 16384).roll(-10, 1))


def copied_by_workspace(given: Given) -> Iterator[Expected]:
    rows = SEQUENCE * HEADS * 4
    yield from whole(LSE, given.floats(Q, rows))
    yield from whole(OUT, given.floats(KEYS, rows * 8))


def accumulated(given: Given) -> Iterator[Expected]:
    return whole(LSE, given.floats(Q, 3072 * 256))


def first_of_four_doubled(given: Given) -> Iterator[Expected]:
    rows = given.floats(A, 65536 * 4).view(-1, 4)
    return whole(C, rows * torch.tensor([2.0, 1.0, 1.0, 1.0]))


FORMULAS: Mapping[str, Formula] = {
    "attribute_once": read_back_in_shared_memory,
    "class_hierarchy": product,
    "cluster_dims_kernel": cluster_neighbour,
    "copy_device_to_device": copies,
    "double_buffer": copied(1 << 18),
    "launch_cooperative": cooperative,
    "launch_cooperative_attribute": cooperative_attribute,
    "launch_ex_cluster": cluster_pairs,
    "launch_exc_cluster": cluster_of_sixteen,
    "launch_priority": first_of_four_doubled,
    "launch_programmatic": product,
    "many_launches": product,
    "map_array": columns_of_both,
    "map_cache": columns_of_all_rows,
    "map_constant_memory": tiles(lambda left, right: left + right),
    "map_global_memory": tiles(lambda left, right: left - right),
    "map_grid_constant": tiles(lambda left, right: left ^ right),
    "map_im2col": first_columns,
    "map_replace_address": first_columns,
    "map_workspace": first_columns,
    "memset_kinds": set_to_bytes,
    "param_pointer_range": copied(M * K // 2),
    "stepping_epoch": stepped,
    "streams_fork_join": joined_streams,
    "symbol_address": accumulated,
    "symbol_pointer": scaled_by_first_row,
    "upload_linked": uploaded_list,
    "upload_once": uploaded_tables,
    "upload_pinned": copied(64000),
    "upload_pointers": product,
    "upload_scalars": uploaded_settings,
    "upload_when_changed": multiplied,
    "workspace_async": summed_in_pairs,
    "workspace_device_array": split_in_four,
    "workspace_each_call": product,
    "workspace_ffi_static": copied(2048 * 1024),
    "workspace_growing": copied_by_workspace,
}


def differences(expected: Sequence[Expected], found: Callable[[int], bytes]) -> list[str]:
    """In words, what lies elsewhere than expected; ``found`` gives all bytes of an argument."""
    words = []
    contents: dict[int, torch.Tensor] = {}
    for one in expected:
        if one.place not in contents:
            contents[one.place] = torch.frombuffer(bytearray(found(one.place)), dtype=torch.uint8)
        wanted = one.rows.contiguous().view(torch.uint8)
        pitch = one.pitch or wanted.shape[1]
        there = contents[one.place].as_strided(tuple(wanted.shape), (pitch, 1), one.at)
        wrong = (there != wanted).nonzero()
        if len(wrong):
            row, column = (int(number) for number in wrong[0])
            words.append(
                f"argument {one.place}, {len(wrong)} of {wanted.numel()} bytes from {one.at} on differ, the first at row "
                f"{row}, byte {column}: {int(there[row, column]):#04x}, not {int(wanted[row, column]):#04x}"
            )
    return words
