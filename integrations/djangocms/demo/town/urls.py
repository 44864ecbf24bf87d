"""The addresses of the demo site."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path
from django.views.generic import TemplateView

urlpatterns = [
    path("admin/", admin.site.urls),
    *i18n_patterns(
        path("hours/", TemplateView.as_view(template_name="town/hours.html")),
        path("", include("cms.urls")),
    ),
]
