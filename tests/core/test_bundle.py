"""A bundle proves its own contents: made of equal contents it is equal bytes, and one that was touched is refused."""

import hashlib
from dataclasses import replace

import pytest
from bundled import (
    CHECKED,
    CONTENTS,
    JUDGEMENT,
    MEASURED,
    REPORTS,
    SOURCE,
    bundle,
    content_of,
    judged,
    packed,
    ref,
)

from evaluation.core import wire
from evaluation.core.bundle import bundle as bundles
from evaluation.core.bundle import container
from evaluation.core.bundle.bundle import pack
from evaluation.core.bundle.manifest import Manifest, manifest_of
from evaluation.core.bundle.members import of_artifact, of_file
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.records import ArtifactRef, StageReport
from evaluation.core.verdict import Stage, Verdict

NAMES = [
    "manifest.json",
    "build.json",
    "check.json",
    "error_map.C.png",
    "judgement.json",
    "kernel.cu",
    "kernel.cubin",
    "measure.json",
    "plan.json",
]


def parts() -> dict[str, bytes]:
    """The files of the sample without its manifest."""
    return dict(container.unpack(packed(), where="", limit_of=lambda _: 1 << 20, most=32)[1:])


def sealed(files: dict[str, bytes], **changes: object) -> bytes:
    """A well-formed archive of these files with a manifest that says the truth unless it is changed."""
    members = tuple(sorted(files.items()))
    manifest = replace(manifest_of(members), **changes)  # type: ignore[arg-type]
    return container.pack((("manifest.json", wire.encode(manifest)), *members))


def with_judgement(**changes: object) -> bytes:
    changed = wire.encode(judged(source="kernel.cu", **changes))
    return sealed({**parts(), "judgement.json": changed})


def refused(content: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        bundle(content)
    return str(caught.value)


def test_a_bundle_gives_back_everything_that_was_put_into_it() -> None:
    read = bundle(packed())

    assert read.judgement == replace(JUDGEMENT, source="kernel.cu")
    assert read.source == SOURCE
    assert {name: read.artifact(name) for name in CONTENTS} == CONTENTS
    assert read.artifact("ptx") is None
    assert read.artifact("no such name") is None
    assert (read.check_seen(), read.measure_seen()) == (CHECKED, MEASURED)
    assert [one.name for one in read.manifest.files] == NAMES[1:]
    listed = {one.name: one for one in read.manifest.files}
    assert listed["kernel.cubin"].size == 9
    assert listed["kernel.cubin"].sha256 == hashlib.sha256(b"the cubin").hexdigest()


def test_equal_contents_give_equal_bytes_wherever_the_source_lay() -> None:
    assert packed() == packed(judged(source="/another/place.cu"))
    assert b"/another/place.cu" not in packed(judged(source="/another/place.cu"))


def test_the_manifest_comes_first_and_the_others_by_name() -> None:
    members = container.unpack(packed(), where="", limit_of=lambda _: 1 << 20, most=32)
    assert [name for name, _ in members] == NAMES


def test_a_refused_source_has_a_bundle_too() -> None:
    report = StageReport(Stage.POLICY, "no", verdict=Verdict.POLICY_REJECTED)
    read = bundle(packed(judged(reports=(report,), verdict=Verdict.POLICY_REJECTED)))

    assert sorted(read.files) == ["judgement.json", "kernel.cu"]
    assert (read.check_seen(), read.measure_seen()) == (None, None)


def test_every_changed_byte_is_found() -> None:
    whole = packed()
    for place in range(0, len(whole), 7):
        changed = bytearray(whole)
        changed[place] ^= 0x20
        with pytest.raises(InvalidInput):
            bundle(bytes(changed))


def test_a_file_that_was_exchanged_is_named() -> None:
    honest = parts()
    manifest = wire.encode(manifest_of(tuple(sorted(honest.items()))))
    exchanged = sorted({**honest, "kernel.cubin": b"bad cubin"}.items())
    message = refused(container.pack((("manifest.json", manifest), *exchanged)))

    assert message.startswith("k.zip: manifest.json: files: lists 'kernel.cubin' with 9 bytes and")
    assert hashlib.sha256(b"bad cubin").hexdigest() in message


def test_a_file_that_is_missing_or_not_listed_is_named() -> None:
    honest = parts()
    manifest = ("manifest.json", wire.encode(manifest_of(tuple(sorted(honest.items())))))
    fewer = sorted(item for item in honest.items() if item[0] != "plan.json")
    more = sorted({**honest, "sass.txt": b""}.items())

    assert "lists 'plan.json'" in refused(container.pack((manifest, *fewer)))
    assert "and the bundle has no more files" in refused(container.pack((manifest, *fewer)))
    assert "lists no more files, and the bundle has 'sass.txt'" in refused(
        container.pack((manifest, *more))
    )


def test_files_in_another_order_are_refused() -> None:
    honest = sorted(parts().items(), reverse=True)
    manifest = wire.encode(manifest_of(tuple(honest)))
    assert "not in the order of their names" in refused(
        container.pack((("manifest.json", manifest), *honest))
    )


def test_a_manifest_that_is_missing_late_or_not_canonical_is_refused() -> None:
    honest = tuple(sorted(parts().items()))
    manifest = wire.encode(manifest_of(honest))
    first = "k.zip: manifest.json: must be the first file of a bundle"

    assert refused(container.pack(())) == first
    assert refused(container.pack(honest)) == first
    assert refused(container.pack((*honest, ("manifest.json", manifest)))) == first
    loose = container.pack((("manifest.json", b" " + manifest), *honest))
    assert "is not written in the canonical form" in refused(loose)
    assert "is not JSON" in refused(container.pack((("manifest.json", b"{"), *honest)))


def test_another_schema_or_judge_is_refused_by_name() -> None:
    assert "schema: is 2; this version reads 1" in refused(sealed(parts(), schema=2))
    assert "judge: is another than the manifest's" in refused(sealed(parts(), judge="2"))


@pytest.mark.parametrize("name", ["judgement.json", "kernel.cu"])
def test_a_bundle_without_judgement_or_source_is_refused(name: str) -> None:
    files = parts()
    del files[name]
    assert refused(sealed(files)) == f"k.zip: {name}: is missing"


def test_a_judgement_of_another_source_is_refused() -> None:
    assert refused(sealed({**parts(), "kernel.cu": b"another"})) == (
        "k.zip: judgement.json: source_sha256: is not the hash of kernel.cu"
    )


def test_reports_and_files_name_the_same_artifacts() -> None:
    build, record, *_ = REPORTS
    other = replace(build, artifacts=(ref("build", b"other"), *build.artifacts[1:]))
    resized = replace(build, artifacts=(replace(build.artifacts[0], size=1), *build.artifacts[1:]))
    unknown = replace(build, artifacts=(*build.artifacts, ref("secret", b"x")))
    absent = replace(build, artifacts=(*build.artifacts, ref("ptx", b"x")))

    for changed in (other, resized):
        assert "build: a report names another build.json than the one in the bundle" in refused(
            with_judgement(reports=(changed, *REPORTS[1:]))
        )
    for changed in (unknown, absent):
        assert "a report names an artifact that is not in the bundle" in refused(
            with_judgement(reports=(changed, *REPORTS[1:]))
        )
    assert "plan.json: belongs to no report" in refused(
        with_judgement(reports=tuple(one for one in REPORTS if one is not record))
    )


def test_a_judgement_that_is_no_record_is_refused() -> None:
    assert "verdict: must be one of" in refused(
        sealed({**parts(), "judgement.json": parts()["judgement.json"].replace(b"accepted", b"ok")})
    )


def test_samples_that_are_no_record_are_refused_where_they_are_asked_for() -> None:
    broken = {**CONTENTS, "check_seen": b"{}", "measure_seen": b"[]"}
    reports = tuple(
        replace(one, artifacts=tuple(ref(each.name, broken[each.name]) for each in one.artifacts))
        for one in REPORTS
    )
    read = bundle(pack(judged(reports=reports), SOURCE, lambda one: broken[one.name]))

    with pytest.raises(InvalidInput, match=r"k.zip: check.json: device: is missing"):
        read.check_seen()
    with pytest.raises(InvalidInput, match=r"k.zip: measure.json: must be an object"):
        read.measure_seen()


@pytest.mark.parametrize(
    "artifacts", [(ArtifactRef("secret", "0" * 64, 1),), (ref("plan", b"1"), ref("plan", b"2"))]
)
def test_an_artifact_without_a_place_of_its_own_is_our_failure(
    artifacts: tuple[ArtifactRef, ...],
) -> None:
    report = StageReport(Stage.BUILD, "odd", artifacts=artifacts)
    with pytest.raises(ToolFailure, match="has no place in a bundle, or more than one"):
        pack(judged(reports=(report,)), SOURCE, lambda _: b"")


def test_a_bundle_that_is_too_large_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "LIMIT_BUNDLE_BYTES", 100)
    assert refused(b"x" * 101) == "k.zip: has 101 bytes; at most 100 are read"


def test_a_bundle_that_nobody_could_read_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "LIMIT_BUNDLE_BYTES", 100)
    with pytest.raises(ToolFailure, match="at most 100 can be read again"):
        packed()


def test_names_are_a_closed_list() -> None:
    assert of_file("error_map.dQ.png") == of_artifact("error_map.dQ")
    assert of_artifact("") is None
    for name in ("error_map..png", "error_map.C.png/..", "error_map.C", "kernel.cubin ", "x.cu"):
        assert of_file(name) is None
    for name in ("error_map.", "error_map.a/b", "kernel.cubin", "manifest.json"):
        assert of_artifact(name) is None


def test_the_hash_of_no_member_can_hide_in_a_message() -> None:
    odd = Manifest(
        tuple(replace(one, sha256="\x1b[2J") for one in manifest_of((("a", b""),)).files)
    )
    members = (("manifest.json", wire.encode(odd)), *sorted(parts().items()))
    assert "\x1b" not in refused(container.pack(members))


def test_content_of_is_asked_once_for_each_artifact() -> None:
    asked: list[str] = []

    def noting(one: ArtifactRef) -> bytes:
        asked.append(one.name)
        return content_of(one)

    pack(JUDGEMENT, SOURCE, noting)
    assert sorted(asked) == sorted(CONTENTS)
