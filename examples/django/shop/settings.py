import os

SECRET_KEY = os.environ.get("SECRET_KEY", "only for trying this out")
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "shop.urls"
INSTALLED_APPS = ["orders"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ.get("DATABASE_FILE", "jobs.db"), "OPTIONS": {"timeout": 30}}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

JOBSTRAND_URL = os.environ.get("JOBSTRAND_URL", "http://127.0.0.1:8080")
