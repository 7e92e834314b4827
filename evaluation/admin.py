"""Rows to look at. Nothing of what was handed in or judged is edited here: services do that, and leave a trace."""

from django.contrib import admin
from django.http import HttpRequest

from evaluation import models


class ReadOnlyAdmin(admin.ModelAdmin):
    """Shows rows; adds, changes and deletes none."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: object = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: object = None) -> bool:
        return False


@admin.register(models.Model)
class ModelAdmin(ReadOnlyAdmin):
    list_display = ("slug", "name", "track", "released_on", "accepted_at")
    search_fields = ("slug", "name", "aliases__alias")


@admin.register(models.Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ("uid", "model", "proposed_model", "visibility", "withdrawn_at", "created_at")
    list_filter = ("visibility", "language")
    list_select_related = ("model",)
    search_fields = ("uid", "proposed_model", "owner")


@admin.register(models.Trajectory)
class TrajectoryAdmin(ReadOnlyAdmin):
    list_display = ("uid", "problem", "target", "prompt", "number", "ending")
    list_filter = ("target", "ending")
    search_fields = ("uid", "problem", "entry__uid")


@admin.register(models.Turn)
class TurnAdmin(ReadOnlyAdmin):
    list_display = ("pk", "trajectory", "number", "kernel", "missing")
    list_filter = ("missing",)
    list_select_related = ("trajectory", "kernel")
    search_fields = ("kernel__sha256", "trajectory__uid")


@admin.register(models.Kernel)
class KernelAdmin(ReadOnlyAdmin):
    list_display = ("sha256", "language", "size")
    search_fields = ("sha256",)


@admin.register(models.Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("uid", "problem", "target", "device", "state", "verdict", "waits_for")
    list_filter = ("state", "verdict", "target", "device", "judge")
    search_fields = ("uid", "kernel__sha256", "owner")


@admin.register(models.Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    # The digest of a report key is of no use to people.
    exclude = ("key_digest",)
    list_display = ("uid", "half", "number", "queue", "state", "worker", "sent_at", "ended_why")
    list_filter = ("state", "queue")
    search_fields = ("uid", "run__uid", "worker")


@admin.register(models.StageReport)
class StageReportAdmin(ReadOnlyAdmin):
    list_display = ("attempt", "place", "stage", "verdict", "headline")
    list_filter = ("stage", "verdict")
    list_select_related = ("attempt",)
    search_fields = ("attempt__uid", "attempt__run__uid")


@admin.register(models.Signal)
class SignalAdmin(ReadOnlyAdmin):
    list_display = ("rule", "version", "severity", "stage", "run", "said")
    list_filter = ("severity", "stage", "rule")
    list_select_related = ("run",)
    search_fields = ("run__uid",)


@admin.register(models.Hold)
class HoldAdmin(ReadOnlyAdmin):
    list_display = ("kernel", "problem", "target", "state", "source", "placed_at", "why")
    list_filter = ("state", "source", "target")
    list_select_related = ("kernel",)
    search_fields = ("kernel__sha256", "problem")


@admin.register(models.PaperCell)
class PaperCellAdmin(ReadOnlyAdmin):
    list_display = ("publication", "model", "device", "problem", "metric", "turn_limit", "main")
    list_filter = ("publication", "metric", "main")
    list_select_related = ("model",)


@admin.register(models.Worker)
class WorkerAdmin(ReadOnlyAdmin):
    list_display = ("name", "queue", "device", "last_heard_at", "resting", "draining")
    list_filter = ("queue", "draining")


@admin.register(models.Device)
class DeviceAdmin(ReadOnlyAdmin):
    list_display = ("product", "uuid_digest", "driver", "last_heard_at", "resting")
    list_filter = ("product",)


@admin.register(models.CanaryReading)
class CanaryReadingAdmin(ReadOnlyAdmin):
    list_display = ("worker", "kernel", "heard_at", "ratio", "low", "high", "said")
    list_filter = ("kernel",)
    list_select_related = ("worker",)


@admin.register(models.QueueSwitch)
class QueueSwitchAdmin(ReadOnlyAdmin):
    list_display = ("queue", "paused_at", "by", "why")
