"""A publication made by hand, of two runs and four turns; each figure can be counted on one hand."""

from pathlib import Path

from portal.uploads.importers.published.main_runs import MainRuns

GEMM = "94920358-01a8-4c5b-9209-3103fd490e94"
GQA = "12e644fb-9783-46be-9763-f69561dfc700"
PROBLEMS = {("gemm_n7168_k5120", GEMM): "gemm_n7168_k5120"}
NO_CHOICES = MainRuns("main_runs.toml", "sample", "made by hand", {}, {}, {})

_FIRST = f"Alpha 1,hopper,{GEMM},gemm,gemm_n7168_k5120,/home/someone/runs/alpha-gemm"
_SECOND = f"Alpha 1,blackwell,{GQA},gqa,gqa_decode,/home/someone/runs/alpha-gqa"
_RUN = "model,arch,workload,workload_name,definition,exp_dir,date"

FILES = {
    "experiments.csv": f"""\
model,arch,definition,workload,exp_dir
Alpha 1,hopper,gemm_n7168_k5120,{GEMM},/home/someone/runs/alpha-gemm
Alpha 1,blackwell,gqa_decode,{GQA},/home/someone/runs/alpha-gqa
""",
    "reasoning_tokens_vs_performance.csv": f"""\
model,arch,workload,workload_name,definition,exp_dir,required_arch_tag,trajectory_id,turn,reasoning_tokens,reasoning_token_source,correctness,speedup,arch_tag,correct_with_arch,performance_score
{_FIRST},H,exp_000,0,10,counted,Compilation error,0.0,,0,0.0
{_FIRST},H,exp_000,1,10,counted,Correct,0.5,"A, H",1,0.5
{_FIRST},H,exp_001,0,10,counted,Correct,0.25,A,0,0.25
{_SECOND},B,exp_000,0,10,counted,Runtime error,,"H, B",0,
""",
    "correctness_rate_by_release_date.csv": f"""\
{_RUN},turn_limit,n_trajectories,correct,correctness_rate
{_FIRST},2026-01-31,1,2,1,0.500000
{_FIRST},2026-01-31,2,2,2,1.000000
{_SECOND},2026-01-31,1,1,0,0.000000
""",
    "best_speedup_by_release_date.csv": f"""\
{_RUN},turn_limit,n_trajectories,best_speedup
{_FIRST},2026-01-31,1,2,0.25
{_FIRST},2026-01-31,2,2,0.5
{_SECOND},2026-01-31,1,1,0
""",
    "arch_instruction_correctness_by_release_date.csv": f"""\
{_RUN},required_arch_sass_tag,turn_limit,n_trajectories,correct_with_arch,correct_with_arch_rate,n_correct_turns,n_unknown_correct_turns,tag_evidence
{_FIRST},2026-0131,H,1,2,0,0.0,1,0,dynamic_sass
{_FIRST},2026-0131,H,2,2,1,0.5,2,0,dynamic_sass
{_SECOND},2026-0131,B,1,1,0,0.0,0,0,dynamic_sass
""",
    "model_release_dates.csv": "model,date\nAlpha 1,2026-0131\n",
    "ptx_release_dates.csv": "arch,date\nhopper,2022-1005\n",
    "fa_release_dates.csv": "version,arch,dates\nfa3,hopper,2024-07-11\nfa4,blackwell,2025-0631\n",
}


def write(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


def change(folder: Path, name: str, old: str, new: str) -> None:
    """Replace the only place where ``name`` says ``old``."""
    text = (folder / name).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{name} says {old!r} {text.count(old)} times"
    (folder / name).write_text(text.replace(old, new), encoding="utf-8")
