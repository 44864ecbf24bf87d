"""The addresses of the demo site."""

from django.contrib import admin
from django.urls import path

from town.views import event

urlpatterns = [
    path("admin/", admin.site.urls),
    path("events/<int:number>/", event, name="event"),
]
