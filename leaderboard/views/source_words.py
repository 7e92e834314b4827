"""Words of CUDA C++ that a reader of a source tells apart: keywords, types, and what CUDA adds to the language."""

_KEYWORDS = """
alignas alignof asm auto break case catch class concept const consteval constexpr constinit const_cast continue
decltype default delete do dynamic_cast else enum explicit extern false final for friend goto if inline mutable
namespace new noexcept nullptr operator override private protected public register reinterpret_cast requires return
sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
typename union using virtual volatile while __asm__ __asm __volatile__ __restrict__ __restrict __forceinline__
__noinline__ __attribute__
"""
_TYPES = """
bool char char8_t char16_t char32_t double float int long short signed unsigned void wchar_t size_t ptrdiff_t
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t
half half2 __half __half2 nv_bfloat16 nv_bfloat162 __nv_bfloat16 __nv_bfloat162 __nv_fp8_e4m3 __nv_fp8_e5m2
float2 float3 float4 double2 int2 int3 int4 uint2 uint3 uint4 uchar2 uchar4 ushort2 ushort4 longlong2 dim3
cudaStream_t cudaError_t cudaEvent_t CUtensorMap CUstream CUresult TensorView
"""
_DEVICE = """
__global__ __device__ __host__ __shared__ __constant__ __managed__ __grid_constant__ __launch_bounds__
__cluster_dims__ __maxnreg__ threadIdx blockIdx blockDim gridDim clusterDim clusterIdx warpSize
__syncthreads __syncwarp __threadfence __threadfence_block __threadfence_system __shfl_sync __shfl_xor_sync
__shfl_up_sync __shfl_down_sync __ballot_sync __any_sync __all_sync __activemask __ldg __cvta_generic_to_shared
__nanosleep __trap
"""

CLASS_OF = {
    **dict.fromkeys(_KEYWORDS.split(), "hl-keyword"),
    **dict.fromkeys(_TYPES.split(), "hl-type"),
    **dict.fromkeys(_DEVICE.split(), "hl-device"),
}
