"""Accounts for staff."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from portal.accounts.models import User


@admin.register(User)
class AccountAdmin(UserAdmin):
    list_display = ("email", "uid", "is_staff", "is_active", "date_joined", "last_login")
    search_fields = ("email", "uid")
    ordering = ("email",)
