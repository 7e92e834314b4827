"""The page about the API shows requests that work, and the machine-readable description is whole."""

import io
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings
from submission_steps import KERNEL, imported, own_folder, own_json, person, program_of, read

from portal.uploads.models import Submission

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).parents[3] / "docs" / "api.md").read_text()


@pytest.fixture(autouse=True)
def _folder(settings: Settings, tmp_path: Path) -> None:
    own_folder(settings, tmp_path)


def commands(section: str) -> list[str]:
    """The curl commands of one section, in order."""
    text = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)).replace("\\\n", " ")
    return [f"curl {one}" for one in re.split(r"^curl ", blocks, flags=re.MULTILINE)[1:]]


@dataclass
class Curl:
    """Does what curl would, as far as the page uses it."""

    client: Client
    variables: dict[str, str]
    files: dict[str, bytes] = field(default_factory=dict)

    def run(self, command: str) -> Any:
        words = iter(shlex.split(command)[1:])
        method, headers, body, form, url = "", {}, b"", {}, ""
        for word in words:
            if word == "-X":
                method = next(words)
            elif word == "-H":
                name, _, value = self._filled(next(words)).partition(": ")
                headers[name] = value
            elif word == "--data":
                body, method = self._filled(next(words)).encode(), method or "POST"
            elif word == "--data-binary":
                body = self.files[next(words).removeprefix("@")]
            elif word == "-F":
                name, _, file = next(words).partition("=@")
                form, method = {name: SimpleUploadedFile(file, self.files[file])}, "POST"
            elif word == "-o":
                next(words)
            elif word != "-sS":
                url = self._filled(word).removeprefix("http://testserver")
        if form:
            return self.client.post(url, form, headers=headers)
        kind = headers.pop("Content-Type", "application/json")
        return self.client.generic(method or "GET", url, body, kind, headers=headers)

    def _filled(self, word: str) -> str:
        for name, value in self.variables.items():
            word = word.replace(f"${name}", value)
        assert "$" not in word
        return word


@pytest.fixture
def curl() -> Curl:
    header = program_of(person()).defaults["HTTP_AUTHORIZATION"]
    token = header.removeprefix("Token ")
    return Curl(Client(), {"SITE": "http://testserver", "TOKEN": token}, {"kernel.cu": KERNEL})


def test_every_variable_of_the_requests_can_be_set_in_a_shell() -> None:
    taken = {"UID", "EUID", "PPID", "PWD", "PATH", "HOME", "USER"}  # bash: UID: readonly variable
    used = set(re.findall(r"\$([A-Z]+)", PAGE))
    assert "SITE" in used
    assert not used & taken


def submission() -> Submission:
    return Submission.objects.latest("pk")


def test_the_requests_of_the_page_lead_from_a_file_to_its_run_and_back(curl: Curl) -> None:
    send, ask = commands("Hand in")
    assert curl.run(send).status_code == 201
    assert curl.run(send).status_code == 200
    curl.variables["SUBMISSION"] = str(submission().uid)
    assert curl.run(ask).json()["state"] == "received"
    read(submission())
    (confirm,) = commands("Confirm")
    assert curl.run(confirm).json()["state"] == "confirmed"
    imported(submission())
    (follow,) = commands("Follow")
    trajectory = curl.run(follow).json()["trajectories"][0]
    (turn,) = trajectory["turns"]
    curl.variables |= {
        "RUN": turn["run"],
        "KERNEL": turn["kernel"],
        "TRAJECTORY": trajectory["uid"],
    }
    run, source, document = (curl.run(one) for one in commands("Download"))
    assert run.json()["state"] == "waiting"
    assert source.content == KERNEL
    assert document.status_code == 404  # a single kernel has none
    cancel, withdraw = (curl.run(one) for one in commands("Take back"))
    assert (cancel.status_code, withdraw.json()["state"]) == (409, "withdrawn")


def test_the_parts_of_the_page_make_one_upload(curl: Curl) -> None:
    whole = own_json(model="m")
    content = (whole + b" " * 90)[: len(whole)]
    curl.files |= {"part-1": content[:60], "part-2": content[60:]}
    announce, first, second = commands("In parts")
    announce = announce.replace('"size": 90', f'"size": {len(content)}')
    curl.variables["SUBMISSION"] = curl.run(announce).json()["uid"]
    answers = [curl.run(one) for one in (first, second)]
    assert [one["Upload-Offset"] for one in answers] == ["60", str(len(content))]
    assert read(submission()).state == "understood"


def test_the_description_is_valid_and_has_every_address(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    out = io.StringIO()
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=out)
    described = yaml.safe_load(out.getvalue())
    assert len(described["paths"]) == 11
    operations = [one for path in described["paths"].values() for one in path.values()]
    for operation in operations:
        assert operation["description"]
        assert operation["security"] == [{"token": []}]
    served = client.get("/api/v1/schema", headers={"Accept": "application/json"})
    assert served.status_code == 200


def test_every_limit_of_the_page_is_the_one_that_acts() -> None:
    from portal.uploads.choices import LICENCES  # noqa: PLC0415 (beside what it is compared with)
    from portal.uploads.limits import UploadLimits  # noqa: PLC0415 (the same)

    limits = UploadLimits()
    text = " ".join(PAGE.split())
    assert f"`licence` is one of {', '.join(LICENCES)};" in text
    assert f"parts of at most {limits.part_bytes >> 20} MiB" in text
    assert (
        f"has room for {limits.unfinished} of them, {limits.unfinished_bytes >> 30} GiB together"
        in text
    )
    assert f"not confirmed within {limits.kept.total_seconds() / 3600:.0f} hours" in text
