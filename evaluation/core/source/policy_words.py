"""Identifiers that a person should know about, by the kind of signal they raise."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """``exact`` and ``starts`` match anywhere; ``called`` only where the word is called.

    ``called`` holds words that are also good names for an author's own variables.
    """

    kind: str
    exact: frozenset[str] = frozenset()
    starts: tuple[str, ...] = ()
    called: frozenset[str] = frozenset()


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


WORDS = (
    Words(
        "loader_call",
        _names("dlopen dlmopen dlsym dlvsym dladdr dladdr1 dlinfo dl_iterate_phdr"),
    ),
    Words(
        "process_call",
        _names(
            """
            vfork clone3 execl execle execlp execv execve execvp execvpe fexecve posix_spawn
            posix_spawnp popen ptrace process_vm_readv process_vm_writev prctl arch_prctl unshare
            setns seccomp waitpid kexec_load
            """
        ),
        called=_names("fork system syscall clone kill"),
    ),
    Words(
        "network_call",
        _names(
            """
            socketpair getaddrinfo gethostbyname inet_pton inet_addr sockaddr_in sockaddr_in6
            sockaddr_un
            """
        ),
        called=_names("socket"),
    ),
    Words(
        "memory_map_call",
        _names(
            """
            mmap mmap64 munmap mremap mprotect pkey_mprotect memfd_create shm_open userfaultfd
            PROT_EXEC
            """
        ),
    ),
    Words("thread_use", _names("pthread_create thrd_create")),
    Words(
        "signal_handler",
        _names(
            """
            sigaction sigaltstack setitimer timer_create SIGALRM SIGBUS SIGFPE SIGILL SIGPROF
            SIGSEGV SIGTRAP SIGUSR1 SIGUSR2 SIGVTALRM
            """
        ),
        called=_names("alarm"),
    ),
    Words(
        "environment_probe",
        _names(
            """
            getenv secure_getenv environ __environ setenv putenv unsetenv gethostname gethostid
            uname getauxval sysconf getpid getppid __cpuid __cpuid_count __get_cpuid
            __get_cpuid_count __builtin_cpu_supports __builtin_cpu_is __builtin_cpu_init
            __rdtsc __rdtscp _rdtsc __builtin_ia32_rdtsc __builtin_ia32_rdtscp __builtin_ia32_rdpid
            __builtin_ia32_rdrand16_step __builtin_ia32_rdrand32_step __builtin_ia32_rdrand64_step
            __builtin_ia32_rdseed_hi_step __builtin_ia32_rdseed_si_step __builtin_ia32_rdseed_di_step
            """
        ),
    ),
    Words(
        "file_access",
        _names(
            """
            fopen freopen fdopen open64 openat creat mkstemp tmpfile readlink opendir ifstream
            ofstream filebuf filesystem
            """
        ),
    ),
    Words("build_time", _names("__TIME__ __DATE__ __TIMESTAMP__")),
    Words(
        "refused_call",
        _names(
            """
            __managed__ cudaMallocManaged cuMemAllocManaged cudaMemcpyFromSymbol
            cudaMemcpyFromSymbolAsync cudaMemcpyDeviceToHost cudaLaunchHostFunc cuLaunchHostFunc
            cudaStreamAddCallback cuStreamAddCallback cudaStreamBeginCapture cuStreamBeginCapture
            cudaStreamBeginCaptureToGraph cuStreamBeginCaptureToGraph cudaStreamEndCapture
            cuStreamEndCapture cudaEventElapsedTime cuEventElapsedTime cudaProfilerStart
            cudaProfilerStop cuProfilerStart cuProfilerStop cudaGetExportTable cuGetExportTable
            cudaHostGetDevicePointer tex1D tex1Dfetch tex1DLod tex2D tex2DLod tex3D surf1Dread
            surf1Dwrite surf2Dread surf2Dwrite cudaDeviceCanAccessPeer cudaDeviceEnablePeerAccess
            cudaDeviceDisablePeerAccess cuCtxEnablePeerAccess cuDeviceCanAccessPeer
            """
        ),
        starts=(
            *("cudaGraph", "cuGraph", "cudaIpc", "cuIpc", "cudaUserObject", "cuUserObject"),
            *("cudaTextureObject", "cudaSurfaceObject", "cudaCreateTextureObject", "cuTexObject"),
            *("cudaCreateSurfaceObject", "cuSurfObject", "cuTexRef", "cuSurfRef"),
            *("cudaMemcpyPeer", "cudaMemcpy3DPeer", "cuMemcpyPeer", "cuMemcpyDtoH"),
            *("cudaGreenCtx", "cuGreenCtx", "cuModuleLoad", "cuLibraryLoad", "cudaLibraryLoad"),
            *("cuLinkCreate", "cuLinkAdd"),
        ),
    ),
    Words(
        "device_runtime",
        _names("cudaStreamFireAndForget cudaStreamTailLaunch"),
        starts=("cudaGetParameterBuffer", "cudaLaunchDevice", "__cudaCDP2"),
    ),
    Words(
        "runtime_internal",
        _names("__gmon_start__ __libc_start_main"),
        starts=(
            *("__cudaRegister", "__cudaUnregister", "__cudaPush", "__cudaPop", "__cudaGetKernel"),
            *("__cudaLaunchKernel", "__cudaInitModule", "__fatBin", "__fatbin", "_ITM_"),
        ),
    ),
    Words(
        "ffi_surface",
        _names("GetGlobalRequired GlobalDef TVMFFIFunctionCreate TVMFFIFunctionCall"),
        starts=(
            *("TVMFFIFunctionGetGlobal", "TVMFFIFunctionSetGlobal", "TVMFFIEnvSet"),
            *("TVMFFIEnvRegisterCAPI", "TVMFFIEnvMod"),
        ),
    ),
    Words("vendor_name", starts=("flashinfer", "deep_gemm")),
)
# Authors spell them as types, functions and macros. cuTensorMap* is the driver, not cuTENSOR.
VENDOR = re.compile(
    r"cublas|cudnn|cufft|cusparse|cusolver|cutensor(?!map)|nvrtc|nvjitlink|cutlass", re.IGNORECASE
)
NAMESPACES = frozenset({"cub", "thrust", "cute", "torch", "at", "c10"})
THREADS = frozenset({"thread", "jthread", "async"})
JUDGE = "ptxboard"
HOOK_ATTRIBUTES = _names(
    "constructor destructor ifunc section alias weak weakref init_priority symver"
)
WATCHED_PRAGMAS = _names("weak redefine_extname include_alias comment ident hdrstop init_seg")
WATCHED_GCC_PRAGMAS = _names(
    "dependency optimize target push_options poison system_header visibility pch_preprocess"
)

_BY_NAME = {name: words.kind for words in WORDS for name in words.exact}
_BY_CALL = {name: words.kind for words in WORDS for name in words.called}
_BY_START = tuple((start, words.kind) for words in WORDS for start in words.starts)
_STARTS = tuple(start for start, _ in _BY_START)


def kind_of(name: str, *, called: bool = False) -> str | None:
    """Name the signal that an identifier raises by its spelling; None for an ordinary one."""
    kind = _BY_NAME.get(name) or (_BY_CALL.get(name) if called else None)
    if kind is not None:
        return kind
    if VENDOR.match(name):
        return "vendor_name"
    if name.lower().startswith(JUDGE):
        return "judge_name"
    if name.startswith(_STARTS):
        return next(kind for start, kind in _BY_START if name.startswith(start))
    return None
