"""Where events are written."""

from django.contrib import admin

from town.models import Event

admin.site.register(Event)
