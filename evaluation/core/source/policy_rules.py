"""Every rule of the policy stage in words: what rejects, and what is only signalled.

Includes reject, because the lexer resolves them exactly. All else that text shows can be wrong in
both directions, so it signals, and the binary rules, the recorder and the jail decide.
"""

from dataclasses import dataclass

from evaluation.core.source.lexer import Token
from evaluation.core.verdict import Severity

RULES: tuple[tuple[str, str], ...] = (
    ("source-size", "A source has at most 256 KiB."),
    ("source-nul", "A source has no NUL bytes."),
    ("source-tokens", "A source has at most 100,000 tokens."),
    ("source-empty", "A source has at least one token besides comments."),
    ("source-language", "This version judges CUDA sources only."),
    (
        "include-library",
        "Headers of vendor, kernel, framework and profiling libraries are rejected.",
    ),
    (
        "include-path",
        "Header names are plain: no absolute or parent path, no '.', '//' or backslash.",
    ),
    (
        "include-unlisted",
        "Allowed are the CUDA runtime's, listed ones of libcu++, C, C++, tvm/ffi/ and dlpack/.",
    ),
    ("include-macro", "An include names its header directly, not through a macro."),
    ("include-next", "#include_next is rejected: it skips the directory that the rules know."),
    ("include-import", "#import is rejected: write #include."),
    ("include-trailing", "No second name, string or character stands behind an include's header."),
    (
        "include-hidden",
        "No macro may lead to '# include': nvcc reads preprocessed text again and obeys it.",
    ),
    (
        "export-missing",
        "The entry is exported with TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, ...); a remark.",
    ),
)


@dataclass(frozen=True, slots=True)
class SignalRule:
    """``version`` rises when the rule changes its meaning; ``sentence`` is for the owner."""

    kind: str
    severity: Severity
    sentence: str
    version: int = 1


@dataclass(frozen=True, slots=True)
class Sighting:
    """One place where a signal's rule applies. ``shown`` adds what the line itself does not say."""

    kind: str
    line: int
    shown: str = ""


def seen(kind: str, token: Token, shown: str = "") -> Sighting:
    return Sighting(kind, token.line, shown)


_READING = (
    SignalRule(
        "ambiguous_text",
        Severity.HOLD,
        "The compiler reads this text in one of two ways, depending on macros. Put a space before R.",
    ),
    SignalRule(
        "misread_text",
        Severity.HOLD,
        "A stray backslash, an open quote or a raw string in _Pragma makes nvcc's front end read other "
        "text than its preprocessor did. Remove it or close it.",
    ),
    SignalRule(
        "unreadable_text",
        Severity.NOTE,
        "A comment or raw string does not end, or has a delimiter that the compiler refuses.",
    ),
    SignalRule(
        "hidden_directive",
        Severity.HOLD,
        "A '#' reaches the compiler through a macro. nvcc reads preprocessed text a second time and "
        "may obey it as a directive, where these rules cannot follow.",
    ),
    SignalRule(
        "has_include",
        Severity.NOTE,
        "The source asks which headers exist, so it may mean different things on different machines.",
    ),
    SignalRule(
        "has_include_path",
        Severity.HOLD,
        "The source asks whether a file outside the header packages exists.",
    ),
    SignalRule(
        "has_include_hidden",
        Severity.HOLD,
        "__has_include is used through a macro or with text that is read differently there, so the "
        "includes behind it cannot be resolved with certainty. Use __has_include(<name>) directly.",
    ),
    SignalRule(
        "slim_header_test",
        Severity.NOTE,
        "The source tests which TVM-FFI headers exist. The set used is named in the toolchain id.",
    ),
    SignalRule(
        "embed",
        Severity.HOLD,
        "#embed and __has_embed read files into the program; the judge's compiler knows neither.",
    ),
    SignalRule(
        "include_trailing",
        Severity.NOTE,
        "Text behind an include's header name is ignored by the compiler.",
    ),
    SignalRule(
        "unusual_directive",
        Severity.NOTE,
        "A preprocessor directive that kernels do not need, or that the compiler does not know.",
    ),
    SignalRule(
        "line_directive",
        Severity.NOTE,
        "#line makes messages name other places than the real ones.",
    ),
    SignalRule(
        "watched_pragma",
        Severity.NOTE,
        "A pragma that changes symbols, files or compiler options.",
    ),
    SignalRule(
        "token_pasting",
        Severity.NOTE,
        "Names are built with ## in a way that reading the text cannot follow.",
    ),
    SignalRule("pasted_name", Severity.NOTE, "A watched name is built with ##."),
    SignalRule(
        "continued_comment",
        Severity.NOTE,
        "A // comment goes on in the next line because of a backslash; that line is no code.",
    ),
    SignalRule(
        "trigraph",
        Severity.NOTE,
        "Trigraphs are not replaced by the judge's compiler; other compilers may read another program.",
    ),
    SignalRule(
        "invisible_character",
        Severity.NOTE,
        "Characters that do not show, or that turn the direction of text, stand in the source.",
    ),
    SignalRule("invalid_utf8", Severity.NOTE, "Bytes outside comments are not UTF-8."),
)
_NAMES = (
    SignalRule(
        "vendor_name",
        Severity.NOTE,
        "A name of a vendor or kernel library. Whether such code is used is decided on the binary.",
    ),
    SignalRule(
        "library_name",
        Severity.NOTE,
        "A string names a shared library. No library can be loaded while the kernel is recorded.",
    ),
    SignalRule(
        "loader_call",
        Severity.NOTE,
        "A call that looks up or loads code at run time. It is refused when the library is checked.",
    ),
    SignalRule(
        "process_call",
        Severity.NOTE,
        "A call that starts, traces or limits processes. The jail ends it.",
    ),
    SignalRule("network_call", Severity.NOTE, "A call that opens a socket. The jail ends it."),
    SignalRule(
        "memory_map_call",
        Severity.NOTE,
        "A call that maps memory or changes its protection.",
    ),
    SignalRule("thread_use", Severity.NOTE, "A host thread makes a kernel not recordable."),
    SignalRule(
        "signal_handler", Severity.NOTE, "Signal handlers and timers act as hidden threads."
    ),
    SignalRule(
        "environment_probe",
        Severity.NOTE,
        "The source asks where it runs. The plan that was recorded is what is judged.",
    ),
    SignalRule("file_access", Severity.NOTE, "The source opens files. The jail has none to read."),
    SignalRule(
        "build_time",
        Severity.NOTE,
        "The time of the build is fixed, so that the same source gives the same binary.",
    ),
    SignalRule(
        "refused_call",
        Severity.NOTE,
        "The recorder refuses this: textures, graphs, managed memory, IPC, peers, module loading, "
        "host callbacks, profiling and reads of device data make a kernel not recordable.",
    ),
    SignalRule(
        "device_runtime",
        Severity.NOTE,
        "Launches from device code need cudadevrt, which is not linked.",
    ),
    SignalRule(
        "runtime_internal",
        Severity.NOTE,
        "A name that belongs to the CUDA runtime or the C start-up code. Defining it is refused.",
    ),
    SignalRule(
        "ffi_surface",
        Severity.NOTE,
        "A part of TVM-FFI that reaches beyond the call: global functions, stream or allocator "
        "changes, modules. It is refused when the library is checked.",
    ),
    SignalRule("judge_name", Severity.HOLD, "The source names parts of the judge."),
)
_CODE = (
    SignalRule(
        "asm_file",
        Severity.HOLD,
        "A string holds .incbin or .include, with which an assembler reads files.",
    ),
    SignalRule(
        "asm_macro",
        Severity.HOLD,
        "An asm string uses assembler macros, which can build any directive.",
    ),
    SignalRule("asm_section", Severity.NOTE, "An asm string changes sections of the host library."),
    SignalRule(
        "raw_syscall",
        Severity.HOLD,
        "An asm string makes a system call without the C library. Host code has no need of one.",
    ),
    SignalRule(
        "attribute_hook",
        Severity.NOTE,
        "An attribute that runs code at load time or replaces, moves or renames symbols.",
    ),
    SignalRule(
        "device_image",
        Severity.NOTE,
        "A string holds a binary image or a whole PTX module. Only our own compile makes device code.",
    ),
)
SIGNALS: tuple[SignalRule, ...] = _READING + _NAMES + _CODE
