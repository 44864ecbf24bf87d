"""The addresses of the demo site."""

from django.conf.urls.i18n import i18n_patterns
from django.contrib.staticfiles.urls import staticfiles_urlpatterns
from django.urls import include, path
from wagtail import urls as wagtail_urls
from wagtail.admin import urls as wagtailadmin_urls

urlpatterns = [
    path("admin/", include(wagtailadmin_urls)),
    *staticfiles_urlpatterns(),
    *i18n_patterns(path("", include(wagtail_urls)), prefix_default_language=False),
]
