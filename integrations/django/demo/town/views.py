"""The page of an event."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from town.models import Event


def event(request: HttpRequest, number: int) -> HttpResponse:
    """Show an event that takes place."""
    found = get_object_or_404(Event, pk=number, cancelled=False)
    return render(request, "town/event.html", {"event": found})
