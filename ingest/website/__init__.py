"""Reading a website by its address: what belongs to it, its robots.txt and sitemaps, its pages, the crawl."""
