"""A small site without a CMS, to try the app with; not for production."""

import os
from pathlib import Path

BASE = Path(__file__).parent
DATA = Path(os.environ.get("TOWN_DATA", BASE.parent / "data"))
DATA.mkdir(parents=True, exist_ok=True)

SECRET_KEY = "of a demo, which keeps no secrets"
DEBUG = True
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "town.urls"
STATIC_URL = "/static/"
USE_TZ = True
LANGUAGE_CODE = "de"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

INSTALLED_APPS = [
    "town",
    "auskunft_django",
    "auskunft_pages",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": DATA / "town.sqlite",
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL",
        },
    }
}

AUSKUNFT = {
    "url": os.environ.get("CHAT_URL", "http://127.0.0.1:8000"),
    "source": "town",
    "secret": os.environ.get("CHAT_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
    "site": "default",
    "website": os.environ.get("TOWN_ADDRESS", "http://127.0.0.1:8080"),
}
