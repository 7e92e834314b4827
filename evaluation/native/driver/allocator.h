// The allocator that TVM-FFI hands out tensors of the environment from (rule R7).
#pragma once

namespace ptxboard {

// Installs an allocator of token memory; what it gives is written down as `alloc` of kind environment.
void install_allocator();

}  // namespace ptxboard
