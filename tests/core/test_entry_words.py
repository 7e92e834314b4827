from evaluation.core.entry_words import Missing, PaperMetric


def test_a_kernel_that_was_changed_by_scrubbing_is_kept_and_no_other() -> None:
    assert [word for word in Missing if word.keeps_kernel] == [Missing.SCRUBBED]


def test_every_published_metric_but_the_best_speedup_is_a_rate() -> None:
    assert [word for word in PaperMetric if not word.is_rate] == [PaperMetric.BEST_SPEEDUP]
