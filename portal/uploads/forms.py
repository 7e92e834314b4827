"""What people type: an upload, and what they say of it. Programs send the second one with the same names."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone

from evaluation.core.entry_words import Visibility
from evaluation.core.verdict import Target
from evaluation.services import stored
from portal.uploads.choices import LICENCES, Choices
from portal.uploads.judged_problems import judged_problems
from portal.uploads.preview import Preview

_MOST = 10_000  # prompts, trajectories of a prompt, turns of a trajectory
_LONGEST_EMBARGO = timedelta(days=730)
_PASTED_CHARACTERS = 500_000


class UploadForm(forms.Form):
    """A file, or text with the name that it would have as a file."""

    file = forms.FileField(required=False, allow_empty_file=False, max_length=1000)
    text = forms.CharField(
        label="or paste it",
        required=False,
        strip=False,
        max_length=_PASTED_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
    )
    name = forms.CharField(
        label="What it would be called as a file",
        required=False,
        max_length=200,
        initial="kernel.cu",
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if bool(cleaned.get("file")) == bool(cleaned.get("text")) and not self.errors:
            raise forms.ValidationError("Choose a file or paste text, and not both.")
        return cleaned


class WithdrawForm(forms.Form):
    reason = forms.CharField(label="Why, for everybody to read", max_length=500)


class ConfirmForm(forms.Form):
    """What the owner says of the whole entry. Fields of the upload itself are there only where it left them open."""

    model = forms.CharField(label="Model, agent or person that wrote the kernels", max_length=200)
    harness = forms.CharField(max_length=80, required=False)
    harness_version = forms.CharField(max_length=40, required=False)
    reasoning_effort = forms.CharField(max_length=40, required=False)
    pack = forms.CharField(
        label="Knowledge pack that the model was given", max_length=80, required=False
    )
    problem = forms.ChoiceField(label="Problem, where the file names none of ours", required=False)
    target = forms.ChoiceField(
        label="Target, where the file names none",
        required=False,
        choices=[("", "not chosen"), *((one.value, one.value.title()) for one in Target)],
    )
    device = forms.CharField(
        label="Device it ran on, where the file names none", max_length=40, required=False
    )
    prompts = forms.IntegerField(label="Declared prompts", min_value=1, max_value=_MOST)
    trajectories = forms.IntegerField(
        label="Declared trajectories of each prompt", min_value=1, max_value=_MOST
    )
    turns = forms.IntegerField(
        label="Declared turns of each trajectory", min_value=1, max_value=_MOST
    )
    licence = forms.ChoiceField(choices=[("", "choose one"), *((one, one) for one in LICENCES)])
    visibility = forms.ChoiceField(
        choices=[
            (Visibility.PRIVATE.value, "private: you and staff see it"),
            (Visibility.EMBARGOED.value, "embargoed: public from a date on"),
            (Visibility.PUBLIC.value, "public"),
        ],
    )
    embargo_until = forms.DateTimeField(
        label="Embargoed until (UTC)",
        required=False,
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"],
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
    )
    consent = forms.BooleanField(
        label="I may hand this in under this licence, and agree that it is judged, and shown as chosen above."
    )

    def __init__(self, preview: Preview, data: Any = None) -> None:
        super().__init__(data, initial=suggested(preview))
        self._preview = preview
        self._problems = judged_problems()
        names = [("", "not chosen"), *((name, name) for name in sorted(self._problems))]
        self.fields["problem"].choices = names  # type: ignore[attr-defined]  # of the choice field above

    def clean_embargo_until(self) -> datetime | None:
        at: datetime | None = self.cleaned_data["embargo_until"]
        now = timezone.now()
        if at is not None and not now < at <= now + _LONGEST_EMBARGO:
            raise forms.ValidationError("An embargo ends in the future, within two years.")
        return at

    def clean(self) -> dict[str, Any]:
        super().clean()
        for sentence in self._preview.blockers:
            self.add_error(None, sentence)
        said = self.cleaned_data
        embargoed = said.get("visibility") == Visibility.EMBARGOED
        if "embargo_until" in said and embargoed is not bool(said["embargo_until"]):
            self.add_error("embargo_until", "A date belongs to an embargo, and to nothing else.")
        self._check_left_open()
        self._check_layout()
        return said

    def choices(self) -> Choices:
        """Of a form that is valid."""
        said = self.cleaned_data
        until: datetime | None = said["embargo_until"]
        words = {
            key: stored(said[key], 200)
            for key in ("model", "harness", "harness_version", "reasoning_effort", "pack", "device")
        }
        return Choices(
            **words,
            problem=said["problem"],
            target=Target(said["target"]) if said["target"] else None,
            licence=said["licence"],
            visibility=Visibility(said["visibility"]),
            embargo_until=until.astimezone(UTC).isoformat() if until else "",
            prompts=said["prompts"],
            trajectories=said["trajectories"],
            turns=said["turns"],
        )

    def _check_left_open(self) -> None:
        """Where no trajectory could be imported as it is, its owner has to say more."""
        seen, said = self._preview, self.cleaned_data
        problem, target = said.get("problem"), said.get("target")
        if seen.trajectories and seen.without_problem == seen.trajectories and not problem:
            self.add_error(
                "problem", "The upload names no problem that is judged here; choose one."
            )
        if seen.trajectories and seen.without_target == seen.trajectories and not target:
            self.add_error("target", "The upload does not say for which target it is; choose one.")
        if problem and target and Target(target) not in self._problems[problem].targets:
            self.add_error("target", f"{problem} is not judged for {target}.")

    def _check_layout(self) -> None:
        """Every declared turn counts, so nobody declares fewer than they took, or than were declared at the start."""
        for key in ("prompts", "trajectories", "turns"):
            taken, said = getattr(self._preview.seen, key), _most(self._preview, key)
            declared = self.cleaned_data.get(key)
            if declared is not None and declared < taken:
                self.add_error(key, f"The upload has {taken}; as many have to be declared.")
            elif declared is not None and declared < said:
                self.add_error(key, f"The upload says that {said} were declared; they all count.")
            if declared is not None and declared > 1 and self._preview.single_kernel:
                self.add_error(key, "One kernel is one turn.")


def suggested(preview: Preview) -> dict[str, object]:
    """What the form says before its owner changed it: what the upload says, and the least layout that holds it."""
    proposed = preview.proposed[0] if preview.proposed else None
    return {
        "model": preview.models[0] if preview.models else "",
        "harness": proposed.harness[:80] if proposed else "",
        "harness_version": proposed.harness_version[:40] if proposed else "",
        "reasoning_effort": proposed.reasoning_effort[:40] if proposed else "",
        "visibility": Visibility.PRIVATE.value,
        **{key: _most(preview, key) for key in ("prompts", "trajectories", "turns")},
    }


def _most(preview: Preview, key: str) -> int:
    said = [getattr(one, key) or 1 for one in (*preview.layouts, preview.seen)]
    return min(max(said), _MOST)
