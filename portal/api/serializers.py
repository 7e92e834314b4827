"""What goes in and out as JSON, as the description of the API has it."""

from rest_framework import serializers

from evaluation.core.entry_words import Visibility
from evaluation.core.verdict import Language, Target
from portal.uploads.choices import LICENCES
from portal.uploads.importers.records import Format
from portal.uploads.submission_words import SubmissionState


class ErrorSerializer(serializers.Serializer[object]):
    error = serializers.CharField(help_text="a word for programs")
    what = serializers.CharField(help_text="what happened")
    do = serializers.CharField(help_text="what to do")


class OffsetErrorSerializer(ErrorSerializer):
    offset = serializers.IntegerField(help_text="how many bytes are there")


class FieldErrorSerializer(ErrorSerializer):
    fields = serializers.DictField(  # type: ignore[assignment]  # a field that is called fields
        child=serializers.ListField(child=serializers.CharField()), required=False
    )


class AnnounceSerializer(serializers.Serializer[object]):
    """An upload that will come in parts."""

    name = serializers.CharField(max_length=1000)
    size = serializers.IntegerField(min_value=0, help_text="bytes of the whole")
    sha256 = serializers.CharField(required=False, default="", max_length=64, allow_blank=True)


class UploadSerializer(serializers.Serializer[object]):
    """An upload in one request."""

    file = serializers.FileField()


class ConfirmSerializer(serializers.Serializer[object]):
    """What the owner says of the whole entry; what is left out is as the preview has it."""

    model = serializers.CharField(required=False, max_length=200)
    harness = serializers.CharField(required=False, max_length=80)
    harness_version = serializers.CharField(required=False, max_length=40)
    reasoning_effort = serializers.CharField(required=False, max_length=40)
    pack = serializers.CharField(required=False, max_length=80)
    problem = serializers.CharField(required=False, max_length=80)
    target = serializers.ChoiceField(required=False, choices=[str(one) for one in Target])
    device = serializers.CharField(required=False, max_length=40)
    prompts = serializers.IntegerField(required=False, min_value=1)
    trajectories = serializers.IntegerField(required=False, min_value=1)
    turns = serializers.IntegerField(required=False, min_value=1)
    licence = serializers.ChoiceField(choices=LICENCES)
    visibility = serializers.ChoiceField(required=False, choices=[str(one) for one in Visibility])
    embargo_until = serializers.CharField(
        required=False, help_text="2027-01-31 or 2027-01-31T12:00, in UTC"
    )
    consent = serializers.BooleanField(
        help_text="that you may hand it in, and agree that it is judged and shown as chosen"
    )


class WithdrawSerializer(serializers.Serializer[object]):
    reason = serializers.CharField(max_length=500)


class ProposedSerializer(serializers.Serializer[object]):
    model = serializers.CharField()
    harness = serializers.CharField()
    harness_version = serializers.CharField()
    reasoning_effort = serializers.CharField()
    language = serializers.ChoiceField(choices=[str(one) for one in Language])


class LayoutSerializer(serializers.Serializer[object]):
    prompts = serializers.IntegerField(allow_null=True)
    trajectories = serializers.IntegerField(allow_null=True)
    turns = serializers.IntegerField(allow_null=True)


class CountedSerializer(serializers.Serializer[object]):
    word = serializers.CharField()
    turns = serializers.IntegerField()


class RemovedSerializer(serializers.Serializer[object]):
    kind = serializers.CharField()
    member = serializers.CharField()
    where = serializers.CharField()


class TroubleSerializer(serializers.Serializer[object]):
    kind = serializers.CharField()
    sentence = serializers.CharField()
    where = serializers.CharField()


class PreviewSerializer(serializers.Serializer[object]):
    formats = serializers.ListField(child=serializers.ChoiceField([str(one) for one in Format]))
    proposed = ProposedSerializer(many=True)
    problems = serializers.ListField(child=serializers.CharField())
    targets = serializers.ListField(child=serializers.CharField())
    devices = serializers.ListField(child=serializers.CharField())
    layouts = LayoutSerializer(many=True)
    seen = LayoutSerializer(help_text="the least layout that holds all of it")
    trajectories = serializers.IntegerField()
    turns = serializers.IntegerField()
    kernels = serializers.IntegerField()
    different_kernels = serializers.IntegerField()
    missing = CountedSerializer(many=True)
    reported = serializers.IntegerField()
    reported_correct = serializers.IntegerField()
    secrets = serializers.IntegerField()
    removed = RemovedSerializer(many=True)
    troubles = TroubleSerializer(many=True)
    troubles_total = serializers.IntegerField()
    without_problem = serializers.IntegerField()
    without_target = serializers.IntegerField()
    blockers = serializers.ListField(child=serializers.CharField())


class ProblemSerializer(serializers.Serializer[object]):
    member = serializers.CharField()
    kind = serializers.CharField()
    sentence = serializers.CharField()


class SubmissionSerializer(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    state = serializers.ChoiceField(choices=[str(one) for one in SubmissionState])
    format = serializers.CharField()
    file_name = serializers.CharField()
    size = serializers.IntegerField()
    received = serializers.IntegerField()
    sha256 = serializers.CharField()
    total = serializers.IntegerField(help_text="trajectories")
    done = serializers.IntegerField(help_text="trajectories")
    refused = serializers.CharField()
    next_step = serializers.CharField()
    preview = PreviewSerializer(allow_null=True)
    entry = serializers.CharField(help_text="the entry's uid, or empty")
    problems = ProblemSerializer(many=True)
    problem_count = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    changed_at = serializers.DateTimeField()


class StageSerializer(serializers.Serializer[object]):
    stage = serializers.CharField()
    headline = serializers.CharField()
    verdict = serializers.CharField()


class TurnSerializer(serializers.Serializer[object]):
    number = serializers.IntegerField(help_text="from 0")
    state = serializers.CharField()
    kernel = serializers.CharField(help_text="SHA-256 of its source, or empty")
    verdict = serializers.CharField()
    missing_said = serializers.CharField()
    run = serializers.CharField(help_text="the run's uid, or empty")
    run_state = serializers.CharField()
    place = serializers.IntegerField(help_text="in the queue, from 1; 0 is in none")
    waits_for = serializers.CharField()
    stages = StageSerializer(many=True)
    next_step = serializers.CharField()


class TrajectorySerializer(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    problem = serializers.CharField()
    target = serializers.CharField()
    prompt = serializers.IntegerField(help_text="from 0")
    number = serializers.IntegerField(help_text="from 0")
    turns = TurnSerializer(many=True)


class TurnsSerializer(serializers.Serializer[object]):
    trajectories = TrajectorySerializer(many=True)
    first = serializers.IntegerField()
    count = serializers.IntegerField()
    next_first = serializers.IntegerField(help_text="0 on the last page")
    is_pending = serializers.BooleanField(help_text="whether any of these may still change")


class ListedSerializer(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    state = serializers.CharField()
    file_name = serializers.CharField()
    size = serializers.IntegerField()
    total = serializers.IntegerField()
    done = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class RunReportSerializer(serializers.Serializer[object]):
    stage = serializers.CharField()
    half = serializers.CharField()
    attempt = serializers.IntegerField()
    reported_at = serializers.DateTimeField()
    headline = serializers.CharField()
    verdict = serializers.CharField()
    report = serializers.JSONField(help_text="the whole report, as docs/verdicts.md has it")
    log = serializers.CharField(help_text="SHA-256 of its log, or empty")
    log_bytes = serializers.IntegerField()


class RunSerializer(serializers.Serializer[object]):
    uid = serializers.UUIDField()
    kernel = serializers.CharField()
    problem = serializers.CharField()
    target = serializers.CharField()
    device = serializers.CharField()
    state = serializers.CharField()
    waits_for = serializers.CharField()
    verdict = serializers.CharField()
    failures = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    reports = RunReportSerializer(many=True)
