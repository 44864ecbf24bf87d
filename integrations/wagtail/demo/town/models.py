"""The page types of the demo site."""

from django.db import models
from modelcluster.fields import ParentalKey
from wagtail import blocks
from wagtail.admin.panels import FieldPanel, InlinePanel
from wagtail.fields import RichTextField, StreamField
from wagtail.models import Orderable, Page


class TownPage(Page):
    """A page with text, blocks and questions."""

    intro = models.TextField(blank=True)
    body = RichTextField(blank=True)
    blocks = StreamField([("paragraph", blocks.TextBlock())], blank=True)

    content_panels = [
        *Page.content_panels,
        FieldPanel("intro"),
        FieldPanel("body"),
        FieldPanel("blocks"),
        InlinePanel("contacts"),
    ]


class Contact(Orderable):
    """Whom to ask about a page's subject."""

    page = ParentalKey(TownPage, on_delete=models.CASCADE, related_name="contacts")
    name = models.CharField(max_length=200)


class SearchPage(Page):
    """A page that is not to be sent."""

    template = "town/town_page.html"
