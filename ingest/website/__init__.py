"""Crawls a website from its address: its scope, robots.txt, sitemaps and pages."""
