"""compute-sanitizer's XML is read as a hostile document: counted, bounded, without entities."""

import pytest

from evaluation.core.errors import InvalidInput
from evaluation.core.probe.sanitizer_report import (
    LIMIT_BYTES,
    RECORDS_KEPT,
    SanitizerReport,
    read_report,
)

RECORD = """
<record>
  <kind>Precise</kind><level>Error</level>
  <what><text>Invalid __global__ write of size 4 bytes</text><size>4</size></what>
  <where><func>fill(float*)</func><path>/w/kernel.cu</path><line>8</line><pc>0x90</pc></where>
  <who><threadIdx><x>3</x><y>0</y><z>0</z></threadIdx><blockIdx><x>1</x><y>0</y><z>0</z></blockIdx></who>
</record>
"""


def report(inside: str) -> bytes:
    return (
        f'<?xml version="1.0"?><ComputeSanitizerOutput>{inside}</ComputeSanitizerOutput>'.encode()
    )


def test_a_report_without_records_found_nothing() -> None:
    assert read_report(report("")) == SanitizerReport(0, ())


def test_a_record_becomes_one_line() -> None:
    (line,) = read_report(report(RECORD)).lines
    assert line == (
        "'Invalid __global__ write of size 4 bytes' in 'fill(float*)' at '/w/kernel.cu' line '8' bytes '4' "
        "thread 3,0,0 block 1,0,0"
    )


@pytest.mark.parametrize("name", ["accessAddress", "address"])
def test_an_address_stands_in_the_line_whatever_the_tool_calls_it(name: str) -> None:
    what = f"<what><text>Invalid read</text><size>16</size><{name}>0x7f00</{name}></what>"
    (line,) = read_report(report(f"<record>{what}</record>")).lines
    assert line == "'Invalid read' address '0x7f00' bytes '16'"


def test_what_a_record_does_not_say_is_left_out() -> None:
    said = read_report(report("<record><kind>Odd</kind></record><record/>"))
    assert said == SanitizerReport(2, ("'Odd'", "'no words'"))


def test_more_records_than_are_kept_are_counted() -> None:
    said = read_report(report(RECORD * 20))
    assert (said.records, len(said.lines)) == (20, RECORDS_KEPT)


def test_a_records_words_cannot_leave_their_line() -> None:
    hostile = "<record><kind>a&#10;b&#27;[31m'</kind></record>"
    with pytest.raises(InvalidInput):  # an escape is no character of XML 1.0
        read_report(report(hostile))
    said = read_report(report("<record><kind>a&#10;b'</kind></record>"))
    assert said.lines == ("'a\\nb\\''",)


def test_a_long_text_is_cut_and_a_thread_that_is_no_number_left_out() -> None:
    axes = "<who><threadIdx><x>1</x><y>no</y><z>2</z></threadIdx></who>"
    said = read_report(report(f"<record><kind>{'k' * 9000}</kind>{axes}</record>"))
    assert len(said.lines[0]) < 200
    assert "thread" not in said.lines[0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no xml",
        b"<other/>",
        report("<record>"),
        report("\xff").replace(b"\xc3\xbf", b"\xff"),
        report("<a>" * 16 + "</a>" * 16),
        report("<a/>" * 100_001),
        report("<record/>" * (LIMIT_BYTES // 9 + 1)),
        b'<!DOCTYPE r [<!ENTITY a "aaaa">]>' + report("<record><kind>&a;</kind></record>")[21:],
        b'<!DOCTYPE r SYSTEM "file:///etc/passwd">' + report("")[21:],
        report("<record><kind>&undeclared;</kind></record>"),
    ],
)
def test_a_document_that_breaks_a_rule_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidInput, match="compute-sanitizer's report"):
        read_report(content)
