#include <cuda_runtime.h>

__global__ void fill(float* c) { c[blockIdx.x * 256 + threadIdx.x] = 0.0f; }

int main() {
  float* c;
  cudaMalloc(&c, 1 << 20);
  fill<<<1024, 256>>>(c);
  return cudaDeviceSynchronize();
}
