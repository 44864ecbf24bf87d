"""For websites without a CMS: their views' pages are sent by address."""
