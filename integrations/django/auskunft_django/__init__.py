"""Tells Auskunft what happens to a website's pages, and shows its chat.

The queue, the sender and the status, for any Django site. Its pages are known by one other app: that of
django CMS, of Wagtail, or ``auskunft_pages``.
"""
