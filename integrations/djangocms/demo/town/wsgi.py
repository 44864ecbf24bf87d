"""The demo site for servers."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "town.settings")
application = get_wsgi_application()
