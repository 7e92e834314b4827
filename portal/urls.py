"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import TemplateView

from portal.health import healthz

urlpatterns = [
    path("", TemplateView.as_view(template_name="home.html"), name="home"),
    path("healthz", healthz, name="healthz"),
    path("", include("portal.uploads.urls")),
    path("", include("portal.api.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
