"""A small site of django CMS, to try the app with; not for production."""

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
MEDIA_ROOT = DATA / "media"
USE_TZ = True
SITE_ID = 1
LANGUAGE_CODE = "de"
LANGUAGES = [("de", "Deutsch"), ("de-ls", "Leichte Sprache"), ("en", "English")]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
X_FRAME_OPTIONS = "SAMEORIGIN"

CMS_CONFIRM_VERSION4 = True
CMS_PERMISSION = True
CMS_TEMPLATES = [("town/page.html", "Page"), ("town/search.html", "Search")]

DRAFTS = (
    ["djangocms_versioning", "djangocms_timed_publishing"] if os.environ.get("TOWN_DRAFTS") != "0" else []
)
INSTALLED_APPS = [
    "town",
    "auskunft_django",
    "auskunft_djangocms",
    "cms",
    "menus",
    "treebeard",
    "sekizai",
    "djangocms_text",
    *DRAFTS,
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.sites",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "cms.middleware.user.CurrentUserMiddleware",
    "cms.middleware.page.CurrentPageMiddleware",
    "cms.middleware.toolbar.ToolbarMiddleware",
    "cms.middleware.language.LanguageCookieMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "cms.context_processors.cms_settings",
                "sekizai.context_processors.sekizai",
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
    "exclude": ["town/search.html"],
}
