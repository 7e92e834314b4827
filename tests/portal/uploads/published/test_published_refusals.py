"""One small change to a good publication, and the sentence that refuses it."""

import gzip
from pathlib import Path

import published_sample
import pytest
from published_sample import NO_CHOICES, PROBLEMS

from evaluation.core.errors import InvalidInput
from portal.uploads.importers.published.csv_lines import CsvLimits
from portal.uploads.importers.published.csv_rows import rows
from portal.uploads.importers.published.published_folder import read_publication

EXPERIMENTS = "experiments.csv"
TURNS = "reasoning_tokens_vs_performance.csv"
CORRECTNESS = "correctness_rate_by_release_date.csv"
SPEEDUP = "best_speedup_by_release_date.csv"
INSTRUCTION = "arch_instruction_correctness_by_release_date.csv"
MODELS = "model_release_dates.csv"
GEMM = published_sample.GEMM


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    published_sample.write(tmp_path)
    return tmp_path


def _refusal(folder: Path) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_publication(folder, problems=PROBLEMS, main_runs=NO_CHOICES)
    return str(caught.value)


CHANGES = [
    ("a missing column", MODELS, "model,date", "model,day",
     "model_release_dates.csv, line 1: lacks the column date"),
    ("an unknown column", MODELS, "model,date\nAlpha 1,2026-0131", "model,date,mood\nAlpha 1,2026-0131,good",
     "model_release_dates.csv, line 1: has the unknown column 'mood'; known: model, date"),
    ("a column twice", MODELS, "model,date\nAlpha 1,2026-0131", "model,date,date\nAlpha 1,2026-0131,2026-0131",
     "model_release_dates.csv, line 1: states a column twice"),
    ("a short row", MODELS, "Alpha 1,2026-0131", "Alpha 1",
     "model_release_dates.csv, line 2: has 1 columns where the header has 2"),
    ("a blank row", MODELS, "Alpha 1", "\nAlpha 1", "model_release_dates.csv, line 2: is blank"),
    ("an open quote", MODELS, "Alpha 1", '"Alpha 1', "model_release_dates.csv, line 2: is not CSV: unexpected end of data"),
    ("a cell over two lines", MODELS, "Alpha 1", '"Alpha\n1"',
     "model_release_dates.csv, line 3: ends a cell that began on an earlier line"),
    ("a stray quote", MODELS, "Alpha 1", '"Alpha" 1', "model_release_dates.csv, line 2: is not CSV: ',' expected after '\"'"),
    ("a NUL", MODELS, "Alpha 1", "Alpha\0001", "model_release_dates.csv, line 2: holds a NUL byte"),
    ("a long line", MODELS, "Alpha 1", "A" * 5000, "model_release_dates.csv, line 2: is longer than 4096 bytes"),
    ("a text too long", MODELS, "Alpha 1", "A" * 121,
     "model_release_dates.csv, line 2: model: must be 1 to 120 printable characters without space around them"),
    ("text that does not print", MODELS, "Alpha 1", "Alpha\u202e1",
     "model_release_dates.csv, line 2: model: must be 1 to 120 printable characters without space around them"),
    ("a model twice", MODELS, "Alpha 1,2026-0131", "Alpha 1,2026-0131\nAlpha 1,2026-0131",
     "model_release_dates.csv, line 3: model: an earlier row has this model"),
    ("no day", MODELS, "2026-0131", "January",
     "model_release_dates.csv, line 2: date: 'January' is no day such as 2026-01-31 or 2026-0131"),
    ("no day of a result", CORRECTNESS, "2026-01-31,1,2", "31.01.2026,1,2",
     "correctness_rate_by_release_date.csv, line 2: date: '31.01.2026' is no day such as 2026-01-31 or 2026-0131"),
    ("another target", EXPERIMENTS, "hopper", "ampere",
     "experiments.csv, line 2: arch: 'ampere' is not one of: hopper, blackwell"),
    ("a path that ends in no name", EXPERIMENTS, "runs/alpha-gemm", "runs/..",
     "experiments.csv, line 2: exp_dir: must end in a name of letters, digits, dots, - and _, at most 120"),
    ("a path that ends in a slash", EXPERIMENTS, "runs/alpha-gemm", "runs/",
     "experiments.csv, line 2: exp_dir: must end in a name of letters, digits, dots, - and _, at most 120"),
    ("a definition that is no name", EXPERIMENTS, "gqa_decode", "gqa decode",
     "experiments.csv, line 3: definition: must be 1 to 64 lower-case letters, digits and _"),
    ("a workload that is no uuid", EXPERIMENTS, GEMM, GEMM.upper(),
     "experiments.csv, line 2: workload: must be a uuid in lower case"),
    ("two paths with one last part", EXPERIMENTS, f"gqa_decode,{published_sample.GQA},/home/someone/runs/alpha-gqa",
     f"gqa_decode,{published_sample.GQA},/home/a/alpha-gqa\nAlpha 1,blackwell,gqa_decode,{published_sample.GQA},/home/b/alpha-gqa",
     "experiments.csv, line 4: exp_dir: an earlier row ends in the same name for this run"),
    ("an unknown outcome", TURNS, "Runtime error", "Probably correct",
     ("reasoning_tokens_vs_performance.csv, line 5: correctness: 'Probably correct' is not one of: Correct, "
     "Compilation error, Runtime error, Numerical error, Kernel Execution Timeout, Extraction error, Other error, "
     "Profiling Service Timeout, Sanitize Timeout")),
    ("a turn twice", TURNS, "exp_001,0", "exp_000,1",
     "reasoning_tokens_vs_performance.csv, line 4: turn: turn 1 where turn 2 of this trajectory is next"),
    ("a turn left out", TURNS, "exp_000,1", "exp_000,2",
     "reasoning_tokens_vs_performance.csv, line 3: turn: turn 2 where turn 1 of this trajectory is next"),
    ("a turn too many", TURNS, "exp_000,1", "exp_000,64",
     "reasoning_tokens_vs_performance.csv, line 3: turn: '64' is no integer from 0 to 63"),
    ("an unknown tag", TURNS, '"A, H"', '"A, H, Z"',
     "reasoning_tokens_vs_performance.csv, line 3: arch_tag: must list some of G, A, H, B"),
    ("a target flag without the tag", TURNS, "Correct,0.25,A,0", "Correct,0.25,A,1",
     "reasoning_tokens_vs_performance.csv, line 4: correct_with_arch: contradicts correctness and arch_tag"),
    ("a target flag of a failed turn", TURNS, '"H, B",0', '"H, B",1',
     "reasoning_tokens_vs_performance.csv, line 5: correct_with_arch: contradicts correctness and arch_tag"),
    ("another tag required than the target's", TURNS, "alpha-gqa,B", "alpha-gqa,H",
     "reasoning_tokens_vs_performance.csv, line 5: required_arch_tag: 'H' is not one of: B"),
    ("no speed-up of a correct turn", TURNS, "Correct,0.25", "Correct,0.0",
     "reasoning_tokens_vs_performance.csv, line 4: speedup: a correct turn needs one above 0"),
    ("a speed-up that is not a number", TURNS, "Correct,0.25", "Correct,nan",
     "reasoning_tokens_vs_performance.csv, line 4: speedup: 'nan' is no number from 0 to 1000"),
    ("an infinite speed-up", TURNS, "Correct,0.25", "Correct,1e99",
     "reasoning_tokens_vs_performance.csv, line 4: speedup: '1e99' is no number from 0 to 1000"),
    ("a negative speed-up", TURNS, "Correct,0.25", "Correct,-0.25",
     "reasoning_tokens_vs_performance.csv, line 4: speedup: '-0.25' is no number from 0 to 1000"),
    ("digits of another script", CORRECTNESS, "1,2,1,0.500000", "1,\u0662,1,0.500000",
     "correctness_rate_by_release_date.csv, line 2: n_trajectories: '\\u0662' is no integer from 1 to 10000"),
    ("more solved than there are", CORRECTNESS, "1,2,1,0.500000", "1,2,3,1.500000",
     "correctness_rate_by_release_date.csv, line 2: correct: '3' is no integer from 0 to 2"),
    ("a rate that its counts do not give", CORRECTNESS, "1,2,1,0.500000", "1,2,1,0.600000",
     "correctness_rate_by_release_date.csv, line 2: correctness_rate: is not 1/2"),
    ("a row twice", CORRECTNESS, "2026-01-31,2,2,2", "2026-01-31,1,2,2",
     "correctness_rate_by_release_date.csv, line 3: turn_limit: an earlier row has this run and turn limit"),
    ("another evidence", INSTRUCTION, "H,1,2,0,0.0,1,0,dynamic_sass", "H,1,2,0,0.0,1,0,ptx_text",
     "arch_instruction_correctness_by_release_date.csv, line 2: tag_evidence: 'ptx_text' is not one of: dynamic_sass"),
    ("another instruction tag", INSTRUCTION, "H,1,2,0,0.0,1,0,dynamic_sass", "B,1,2,0,0.0,1,0,dynamic_sass",
     "arch_instruction_correctness_by_release_date.csv, line 2: required_arch_sass_tag: 'B' is not one of: H"),
    ("a run that only one file has", EXPERIMENTS, "runs/alpha-gqa", "runs/beta-gqa",
     "reasoning_tokens_vs_performance.csv: lacks Alpha 1 / blackwell / gqa_decode / beta-gqa, which another file has"),
    ("a turn limit that only one file has", SPEEDUP, "2026-01-31,2,2,0.5", "2026-01-31,4,2,0.5",
     ("best_speedup_by_release_date.csv: lacks Alpha 1 / hopper / gemm_n7168_k5120 / alpha-gemm at turn limit 2, "
     "which another file has")),
    ("files that disagree on trajectories", SPEEDUP, "2026-01-31,2,2,0.5", "2026-01-31,2,3,0.5",
     ("Alpha 1 / hopper / gemm_n7168_k5120 / alpha-gemm: n_trajectories: contradicts: "
     "2 in reasoning_tokens_vs_performance.csv, 2 in correctness_rate_by_release_date.csv, "
     "3 in best_speedup_by_release_date.csv, 2 in arch_instruction_correctness_by_release_date.csv")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [pytest.param(*change[1:], id=change[0].replace(" ", "-")) for change in CHANGES],
)
def test_a_publication_is_refused_with_file_line_and_rule(
    folder: Path, name: str, old: str, new: str, sentence: str
) -> None:
    published_sample.change(folder, name, old, new)
    assert _refusal(folder) == sentence


def test_a_run_that_experiments_does_not_list_is_refused(folder: Path) -> None:
    lines = (folder / EXPERIMENTS).read_text().splitlines(keepends=True)
    (folder / EXPERIMENTS).write_text("".join(lines[:2]))
    assert _refusal(folder) == (
        "reasoning_tokens_vs_performance.csv: has Alpha 1 / blackwell / gqa_decode / alpha-gqa, which another file lacks"
    )


def test_a_file_that_is_not_there_is_named(folder: Path) -> None:
    (folder / SPEEDUP).unlink()
    assert _refusal(folder) == (
        "best_speedup_by_release_date.csv: is not in this folder; give the folder that holds the publication's files"
    )


def test_a_file_that_is_there_twice_is_refused(folder: Path) -> None:
    (folder / f"{SPEEDUP}.gz").write_bytes(gzip.compress((folder / SPEEDUP).read_bytes()))
    said = "best_speedup_by_release_date.csv: is here packed and unpacked; keep one of them"
    assert _refusal(folder) == said


def test_an_empty_file_lacks_its_columns(folder: Path) -> None:
    (folder / MODELS).write_bytes(b"")
    assert _refusal(folder) == "model_release_dates.csv, line 1: lacks the column model"


def test_a_file_that_is_not_utf8_is_refused(folder: Path) -> None:
    (folder / MODELS).write_bytes(b"model,date\n\xff,2026-0131\n")
    assert _refusal(folder) == "model_release_dates.csv, line 2: is not UTF-8"


def _pack(folder: Path, packed: bytes) -> None:
    (folder / MODELS).unlink()
    (folder / f"{MODELS}.gz").write_bytes(packed)


def test_a_packed_file_cut_short_is_refused(folder: Path) -> None:
    _pack(folder, gzip.compress((folder / MODELS).read_bytes())[:-9])
    assert _refusal(folder).endswith("the packed file is broken here; fetch it again")


def test_a_packed_file_that_is_not_packed_is_refused(folder: Path) -> None:
    _pack(folder, (folder / MODELS).read_bytes())
    assert _refusal(folder).endswith("the packed file is broken here; fetch it again")


def test_a_packed_file_with_flipped_bits_is_refused(folder: Path) -> None:
    packed = bytearray(gzip.compress((folder / MODELS).read_bytes() * 50))
    packed[20] ^= 0xFF
    _pack(folder, bytes(packed))
    assert _refusal(folder).endswith("the packed file is broken here; fetch it again")


def _refusal_of_models(folder: Path, limits: CsvLimits) -> str:
    with pytest.raises(InvalidInput) as caught:
        list(rows(folder, MODELS, ("model", "date"), limits=limits))
    return str(caught.value)


def test_a_packed_file_that_unpacks_to_more_than_the_limit_is_refused(folder: Path) -> None:
    _pack(folder, gzip.compress(b"model,date\n" + b"A,2026-01-31\n" * 20_000))
    # 11 bytes of header and 13 a row: line 7692 ends at 11 + 7691 * 13 = 99,994, and one more is too many.
    said = "model_release_dates.csv.gz, line 7693: the file is larger than 100000 bytes unpacked"
    assert _refusal_of_models(folder, CsvLimits(file_bytes=100_000)) == said


def test_too_many_rows_are_refused(folder: Path) -> None:
    (folder / MODELS).write_text("model,date\nA,2026-01-31\nB,2026-01-31\nC,2026-01-31\n")
    said = "model_release_dates.csv, line 4: is one of more than 2 rows"
    assert _refusal_of_models(folder, CsvLimits(rows=2)) == said
