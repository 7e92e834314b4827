// The C library as the driver and the shim use it, past the shim's own stand-ins for the author.
#pragma once

namespace ptxboard {

void* real_dlopen(const char* path, int flags);
void* real_dlsym(void* handle, const char* name);

}  // namespace ptxboard
