"""What is written as HTML without a template: every text that somebody gave is escaped there too."""

import json
import re

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import found_in, text_of

from evaluation.models import PaperCell
from leaderboard.charts.chart import Axis, Chart, Look, Point, Series, table
from leaderboard.projection import rebuild
from leaderboard.templatetags.addresses import AddressesOf
from leaderboard.templatetags.written import cell, isolated, joined, link, text
from leaderboard.views.drawn import drawn

HOSTILE = "</script><b a='1' c=\"2\">&\u202e"
SHOWN = "</script><b a='1' c=\"2\">&⟨U+202E⟩"
ESCAPED = "&lt;/script&gt;&lt;b a=&#x27;1&#x27; c=&quot;2&quot;&gt;&amp;"
FIVE = ["pf--", "p---", "----", "-p--", "f---"]


def test_texts_are_escaped_and_empty_pieces_leave_no_trace() -> None:
    assert text("<&>\"'") == "&lt;&amp;&gt;&quot;&#x27;"
    assert isolated("<i>") == "<bdi>&lt;i&gt;</bdi>"
    assert link('/a?b=1&c="', text("d")) == '<a href="/a?b=1&amp;c=&quot;">d</a>'
    assert joined(", ", text("a"), text(""), text("b")) == "a, b"
    assert cell("figure", text("1"), text("<")) == '<td class="figure">1&lt;</td>'


def test_an_address_is_looked_up_once_for_all_pages_of_its_kind() -> None:
    assert AddressesOf.kind("model", "sample")("quartz-4") == "/models/quartz-4/"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "/",
        f"/problems/{GEMM}/",
        f"/boards/correctness/hopper/?problem={GEMM}&T=4",
        f"/boards/speed/h200/?problem={GEMM}&T=4",
        f"/boards/correctness/hopper/?problem={GEMM}&T=4&provenance=paper",
    ],
    ids=["home", "problem", "correctness", "speed", "published"],
)
def test_names_that_strangers_gave_are_text_on_every_page_of_boards(
    client: Client, address: str
) -> None:
    model = rows.model(name=HOSTILE)
    names = dict.fromkeys(("harness", "harness_version", "pack", "reasoning_effort"), HOSTILE)
    rows.judged(FIVE, model=model, **names | {"harness_version": "<b>"})
    PaperCell.objects.create(
        publication=HOSTILE,
        model=model,
        target="hopper",
        device="<h100>",
        problem=GEMM,
        experiment="main",
        main=True,
        turn_limit=4,
        metric="correct_at",
        numerator=91,
        denominator=96,
    )
    rebuild(at=AT)
    page = client.get(address).content.decode()
    assert ESCAPED in page
    assert not {"<b ", "<b>", "<h100>"} & {*re.findall(r"<[^>]*?[ >]", page)}
    assert SHOWN in text_of(page)
    assert f"/models/{model.slug}/" in found_in(page).links


def test_no_text_of_a_figure_ends_the_element_that_it_stands_in() -> None:
    dots = Series(HOSTILE, Look.DOTS, (Point(x=1, y=1, said=HOSTILE, address="/a?b&c"),))
    (one,) = drawn(
        [
            Chart(
                name="a",
                title="A",
                said="",
                x=Axis(title="x"),
                y=Axis(title="y"),
                series=(dots,),
                table=table("", (), ()),
            )
        ]
    )
    begin, end = '<script id="chart-a-figure" type="application/json">', "</script>"
    assert one.script.startswith(begin)
    inside = one.script.removeprefix(begin).removesuffix(end)
    assert not {"<", ">", "&"} & set(inside)
    assert json.loads(inside) == one.figure
