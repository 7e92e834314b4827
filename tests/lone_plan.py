"""The image of the kernels that ``planned.PLAN`` launches, as the stand-in for the driver reads it."""

from cubin_files import Cubin, Kernel, Variable, parameter

CUBIN = bytes(
    Cubin(
        kernels=(
            Kernel("mapped", parameter(1, 128, 8) + parameter(0, 0, 128), 136),
            Kernel("s", parameter(2, 12, 12) + parameter(1, 8, 4) + parameter(0, 0, 8), 24),
        ),
        variables=(Variable("table", ".nv.constant3", 0, 1024),),
        sizes={".nv.constant3": 1024},
    )
    .build()
    .content
)
