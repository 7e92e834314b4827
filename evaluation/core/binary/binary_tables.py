"""The names that the binary rules know: what a host library may need, call and define, and what is worth a look.

Rules R1, R2, R5, R6 and T5. A name of libc or libstdc++ that is not listed here is fine: the record jail is the
boundary.
"""

import re
from dataclasses import dataclass
from typing import Final

from evaluation.core.library_names import SHIM_LIBRARY
from evaluation.core.verdict import Severity

TVM_FFI_LIBRARY: Final = "libtvm_ffi.so"
SYSTEM_LIBRARIES: Final = frozenset(
    {"libstdc++.so.6", "libgcc_s.so.1", "libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2"}
)
NEEDED_LIBRARIES: Final = SYSTEM_LIBRARIES | {SHIM_LIBRARY, TVM_FFI_LIBRARY}

# Functions of the driver that device code may call. printf and assert are replaced before measuring (rule T5).
DEVICE_EXTERNS: Final = frozenset({"malloc", "free"})

VENDOR_CALL: Final = re.compile(
    r"(?:cublas|cudnn|cufft|curand|cusolver|cusparse|cutensor|cutlass|nccl|npp[a-z]?)[A-Z0-9_]"
)
CUDA_CALL: Final = re.compile(r"__cuda|cuda[A-Z]|cu[A-Z]|nvrtc|nvJitLink|nvml|nvtx|__nv_")

# Mangled names in namespace std. libtvm_ffi exports some of them without a version, so a version is no test for them.
STANDARD_CPLUSPLUS: Final = re.compile(r"_Z(?:T[VIST]|GV)?(?:N[KVrRO]*)?S[tabsiod]")

TVM_FFI_PREFIX: Final = "TVMFFI"
JUDGE_PREFIX: Final = "ptxboard"  # every name that the shim keeps for its driver begins so
TVM_FFI_CPLUSPLUS: Final = "3tvm3ffi"  # as mangled names spell tvm::ffi
TVM_FFI_ALLOWED: Final = frozenset(
    {
        "TVMFFIAnyViewToOwnedAny",
        "TVMFFIBacktrace",
        "TVMFFIBytesFromByteArray",
        "TVMFFIDataTypeFromString",
        "TVMFFIDataTypeToString",
        "TVMFFIEnvCheckSignals",
        "TVMFFIEnvGetStream",
        "TVMFFIEnvTensorAlloc",
        "TVMFFIErrorCreate",
        "TVMFFIErrorCreateWithCauseAndExtraContext",
        "TVMFFIErrorMoveFromRaised",
        "TVMFFIErrorSetRaised",
        "TVMFFIErrorSetRaisedFromCStr",
        "TVMFFIErrorSetRaisedFromCStrParts",
        "TVMFFIGetTypeAttrColumn",  # the headers of Array and Map ask for it; it only reads
        "TVMFFIGetTypeInfo",
        "TVMFFIGetVersion",
        "TVMFFIHandleDeinitOnce",
        "TVMFFIHandleInitOnce",
        "TVMFFIObjectDecRef",
        "TVMFFIObjectIncRef",
        "TVMFFIStringFromByteArray",
        "TVMFFITensorCreateUnsafeView",  # a view of a tensor that the caller holds
        "TVMFFITensorFromDLPack",
        "TVMFFITensorFromDLPackVersioned",
        "TVMFFITensorToDLPack",
        "TVMFFITensorToDLPackVersioned",
        "TVMFFITypeGetOrAllocIndex",
        "TVMFFITypeKeyToIndex",
        "TVMFFITypeRegisterAttr",
        "TVMFFITypeRegisterField",
        "TVMFFITypeRegisterMetadata",
        "TVMFFITypeRegisterMethod",
    }
)
# An import does not show whose function object is created or called, so these are shown and not refused.
TVM_FFI_NOTED: Final = frozenset({"TVMFFIFunctionCall", "TVMFFIFunctionCreate"})
TVM_FFI_REFUSED: Final = frozenset(
    {
        "TVMFFIEnvModLookupFromImports",
        "TVMFFIEnvModRegisterContextSymbol",
        "TVMFFIEnvModRegisterSystemLibSymbol",
        "TVMFFIEnvRegisterCAPI",
        "TVMFFIEnvSetDLPackManagedTensorAllocator",
        "TVMFFIEnvSetStream",
        "TVMFFIFunctionGetGlobal",
        "TVMFFIFunctionSetGlobal",
        "TVMFFIFunctionSetGlobalFromMethodInfo",
    }
)

# Initialisers and finalisers that compilers and nvcc write themselves.
INITIALISER: Final = re.compile(
    r"frame_dummy|_GLOBAL__(?:sub_)?I[._].*|_ZL\d+__sti____cudaRegisterAll.*"
)
FINALISER: Final = re.compile(r"__do_global_dtors_aux|_GLOBAL__(?:sub_)?D[._].*")
# Names that start-up code looks for; the C library's start files define none of them.
START_NAME: Final = re.compile(r"__gmon_start__|_ITM_\w+")
# SHA-256 of crti.o and crtn.o of glibc for x86-64, without and with the branch-tracking mark at the start.
START_CODE: Final = frozenset(
    {
        (".init", "a423a51c85a5a71ffeb5425a4f7591e6c777fc565ae95155b758adfcd245ff5a"),
        (".init", "c23d471637e7d435d897e91304dbe6660012dabc6bb4bcd2e0cc857073a4e841"),
        (".fini", "66e6f54550612182b4ad78f30b140dd08318b968db3878de2db65fef87dc04d7"),
        (".fini", "6a4f3e5efc7c1f7ee7d6f21afd9ed040ba1d7f0b97bb12b016f5b176cc558bd8"),
    }
)


@dataclass(frozen=True, slots=True)
class ImportHint:
    """Imports that honest kernels have little use for: a signal, since what they do ends in the jail."""

    kind: str
    severity: Severity
    sentence: str
    names: frozenset[str]
    prefixes: tuple[str, ...] = ()

    def covers(self, name: str) -> bool:
        return name in self.names or name.startswith(self.prefixes)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


IMPORT_HINTS: Final = (
    ImportHint(
        kind="process_import",
        severity=Severity.HOLD,
        sentence="The host code imports calls that start or control processes; a kernel needs none.",
        names=_words(
            "fork vfork _Fork clone __clone clone3 execve execv execvp execvpe execl execlp execle execveat fexecve "
            "posix_spawn posix_spawnp system popen ptrace process_vm_readv process_vm_writev kill tgkill killpg "
            "pidfd_open pidfd_send_signal prctl arch_prctl personality unshare setns mount umount umount2 pivot_root "
            "chroot setuid setgid setreuid setregid setresuid setresgid seteuid setegid setgroups syscall"
        ),
    ),
    ImportHint(
        kind="socket_import",
        severity=Severity.HOLD,
        sentence="The host code imports network calls; a kernel needs none.",
        names=_words(
            "socket socketpair connect bind listen accept accept4 send sendto sendmsg sendmmsg recv recvfrom recvmsg "
            "recvmmsg getaddrinfo gethostbyname gethostbyname2 gethostbyname_r getnameinfo getifaddrs"
        ),
    ),
    ImportHint(
        kind="signal_import",
        severity=Severity.NOTE,
        sentence="The host code imports calls that handle or send signals or set timers.",
        names=_words(
            "signal sigaction sigaltstack sigprocmask pthread_sigmask pthread_kill raise sigqueue signalfd alarm "
            "ualarm setitimer timer_create timer_settime timerfd_create bsd_signal sysv_signal __sysv_signal sigset"
        ),
    ),
    ImportHint(
        kind="thread_import",
        severity=Severity.NOTE,
        sentence="The host code imports calls that start threads; work of a second host thread cannot be recorded.",
        names=_words("pthread_create thrd_create"),
        prefixes=("_ZNSt6thread15_M_start_thread",),
    ),
    ImportHint(
        kind="loader_import",
        severity=Severity.NOTE,
        sentence="The host code imports calls that load libraries or look up symbols at run time.",
        names=_words(
            "dlopen dlmopen dlsym dlvsym dladdr dladdr1 dlinfo dl_iterate_phdr _dl_find_object"
        ),
    ),
    ImportHint(
        kind="environment_import",
        severity=Severity.NOTE,
        sentence="The host code imports calls that look at its surroundings; the recorded plan fixes what it chose.",
        names=_words(
            "getenv secure_getenv setenv putenv unsetenv clearenv environ __environ _environ getauxval uname sysinfo "
            "gethostname getdomainname getpid getppid getuid geteuid getlogin program_invocation_name __progname"
        ),
    ),
    ImportHint(
        kind="file_import",
        severity=Severity.NOTE,
        sentence="The host code imports calls that open or list files.",
        names=_words(
            "open open64 openat openat64 creat creat64 fopen fopen64 freopen freopen64 fdopen opendir fdopendir "
            "readdir readdir64 readlink readlinkat realpath __realpath_chk unlink unlinkat rename renameat link "
            "linkat symlink mkdir mkdirat mkstemp mkstemp64 tmpfile tmpfile64 stat stat64 fstatat fstatat64 lstat "
            "lstat64 access faccessat __open_2 __open64_2 shm_open memfd_create ftw nftw glob"
        ),
        prefixes=(
            "_ZNSt13basic_filebuf",
            "_ZNSt14basic_ifstream",
            "_ZNSt14basic_ofstream",
            "_ZNSt13basic_fstream",
            "_ZNSt10filesystem",
            "_ZNKSt10filesystem",
        ),
    ),
    ImportHint(
        kind="memory_mapping_import",
        severity=Severity.NOTE,
        sentence="The host code imports calls that change how memory is mapped.",
        names=_words(
            "mmap mmap64 mprotect pkey_mprotect mremap remap_file_pages shmat userfaultfd"
        ),
    ),
)
