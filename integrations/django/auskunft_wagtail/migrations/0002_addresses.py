"""Entries may be addresses, and know what Auskunft has in each language."""

from typing import Any

from django.db import migrations, models


def _remember(apps: Any, _editor: Any) -> None:
    """Carry over the language that Auskunft has a page in."""
    for entry in apps.get_model("auskunft_wagtail", "Entry").objects.filter(published=True).iterator():
        entry.known = [{"id": entry.page, "language": entry.language, "url": ""}]
        entry.save(update_fields=["known"])


class Migration(migrations.Migration):
    dependencies = [("auskunft_wagtail", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="entry",
            name="page",
            field=models.CharField(max_length=500, primary_key=True, serialize=False, verbose_name="page"),
        ),
        migrations.AddField(model_name="entry", name="known", field=models.JSONField(default=list)),
        migrations.AddField(model_name="entry", name="deleted", field=models.BooleanField(default=False)),
        migrations.RunPython(_remember, migrations.RunPython.noop),
        migrations.RemoveField(model_name="entry", name="language"),
    ]
