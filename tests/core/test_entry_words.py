from evaluation.core.entry_words import Missing


def test_a_kernel_that_was_changed_by_scrubbing_is_kept_and_no_other() -> None:
    assert [word for word in Missing if word.keeps_kernel] == [Missing.SCRUBBED]
