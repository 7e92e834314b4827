// Small kernels that show something by ending, or by not ending well.
#pragma once

// Ends after ``nanoseconds`` and writes ``answer``: a device that is well does both in time.
extern "C" __global__ void __launch_bounds__(32)
trusted_busy(unsigned long long nanoseconds, unsigned long long answer, unsigned long long* result) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
  if (threadIdx.x == 0) *result = answer;
}

// Must fault: writes 16 bytes of a mapping that is read-only. Where it is not, the bytes keep their values.
extern "C" __global__ void __launch_bounds__(1) trusted_check_readonly(unsigned long long address) {
  unsigned a, b, c, d;
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "l"(address)
               : "memory");
  asm volatile("st.volatile.global.v4.u32 [%4], {%0, %1, %2, %3};" ::"r"(a), "r"(b), "r"(c), "r"(d), "l"(address)
               : "memory");
}
