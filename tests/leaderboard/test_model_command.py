"""Staff see what uploads propose, add models, put entries under them and merge two, and boards follow at once."""

from io import StringIO

import judged_rows
import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from evaluation.models import Entry, Model, PaperCell
from leaderboard.models import Standing
from leaderboard.projection import rebuild

pytestmark = pytest.mark.django_db

FIVE_RIGHT = ("pp", "pp", "pp", "pp", "pp")


def said(*arguments: str) -> str:
    out = StringIO()
    call_command("model", *arguments, stdout=out)
    return out.getvalue()


def proposing(name: str) -> Entry:
    return judged_rows.judged(FIVE_RIGHT, proposed_model=name)


def published(model: Model, experiment: str = "first") -> None:
    PaperCell.objects.create(
        publication="paper",
        model=model,
        target="hopper",
        device="H100",
        problem=judged_rows.GEMM,
        experiment=experiment,
        main=True,
        metric="solved_by",
        turn_limit=8,
        numerator=3,
        denominator=12,
    )


def test_entries_without_a_model_are_listed_with_the_model_that_has_the_name() -> None:
    said("add", "demo-1", "Demo 1", "--alias", "vendor/Demo-1")
    known, unknown = proposing("Vendor/DEMO-1"), proposing("Nobody\x1b[31m")
    judged_rows.judged(["p"])  # under a model already
    assert said("list").splitlines()[1:] == [
        f"{known.uid}  public      demo-1                Vendor/DEMO-1",
        f"{unknown.uid}  public      -                     Nobody [31m",
    ]


def test_an_accepted_entry_ranks_at_once() -> None:
    entry = proposing("Demo 1")
    rebuild(at=judged_rows.LATER)
    ours = Standing.objects.filter(entry=entry)
    assert set(ours.values_list("unranked_why", flat=True)) == {"model_not_accepted"}
    said("add", "demo-1", "Demo 1", "--track", "agent", "--released", "2026-01-31")
    assert said("accept", str(entry.uid), "demo-1") == (
        f"{entry.uid} is under demo-1 now, and on the boards as far as it can be\n"
    )
    assert ours.filter(unranked_why="", model__slug="demo-1").exists()
    model = Model.objects.get(slug="demo-1")
    assert (model.name, model.track, f"{model.released_on}") == ("Demo 1", "agent", "2026-01-31")


def test_a_model_that_was_not_listed_is_when_an_entry_is_accepted_under_it() -> None:
    model = judged_rows.model(slug="hidden", accepted_at=None)
    first = judged_rows.judged(FIVE_RIGHT, model=model)
    rebuild(at=judged_rows.LATER)
    said("accept", str(proposing("Hidden").uid), "hidden")
    model.refresh_from_db()
    assert model.accepted_at is not None
    assert Standing.objects.filter(entry=first, unranked_why="").exists()


def test_a_merged_model_leaves_its_entries_names_values_and_address_to_the_other(
    client: Client,
) -> None:
    said("add", "old", "Old name", "--alias", "older")
    said("add", "new", "New name")
    entry = proposing("older")
    said("accept", str(entry.uid), "old")
    published(Model.objects.get(slug="old"))
    rebuild(at=judged_rows.LATER)
    assert said("merge", "old", "new") == "old is a name of new now\n"
    (model,) = Model.objects.all()
    assert (model.slug, model.name) == ("new", "New name")
    names = set(model.aliases.values_list("alias", flat=True))
    assert names == {"old", "old name", "older", "new", "new name"}
    standing = Standing.objects.values_list("model__slug", "provenance").distinct()
    assert set(standing) == {("new", "verified"), ("new", "paper")}
    answer = client.get("/models/old/")
    assert (answer.status_code, answer["Location"]) == (302, "/models/new/")


def test_two_models_of_one_publication_stay_two() -> None:
    said("add", "one", "One")
    said("add", "two", "Two")
    for slug in ("one", "two"):
        published(Model.objects.get(slug=slug))
    with pytest.raises(CommandError, match="they are two models there"):
        said("merge", "one", "two")
    assert Model.objects.get(slug="one").aliases.count() == 1
    assert PaperCell.objects.filter(model__slug="one").count() == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("add", "Demo_1", "Demo"), "a slug has 1 to 80 small letters"),
        (("add", "other", "KNOWN"), "'KNOWN' is a name of known"),
        (("add", "other", "Other", "--released", "soon"), "invalid fromisoformat value"),
        (("accept", "no-uid", "known"), "invalid UUID value"),
        (("accept", "00000000-0000-4000-8000-000000000000", "known"), "there is no entry 0000"),
        (("accept", "00000000-0000-4000-8000-000000000000", "none"), "there is no model 'none'"),
        (("merge", "known", "known"), "cannot be merged into itself"),
        (("merge", "none", "known"), "there is no model 'none'"),
    ],
    ids=["slug", "name taken", "date", "uid", "entry", "model", "itself", "nothing to merge"],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    arguments: tuple[str, ...], sentence: str
) -> None:
    said("add", "known", "Known")
    with pytest.raises(CommandError, match=sentence):
        said(*arguments)
    assert Model.objects.count() == 1


def test_an_entry_is_accepted_under_one_model_alone() -> None:
    entry = judged_rows.judged(["p"])
    said("add", "known", "Known")
    with pytest.raises(CommandError, match="is under a model already"):
        said("accept", str(entry.uid), "known")
