"""Estimates of tokens, against counts of real tokenizers."""

from typing import Final

import pytest

from app.chat.model.tokens import MOST_CHARACTERS, estimate

# The most that the tokenizers of Llama 3.1, Qwen 3, Gemma 3, gpt-oss and Mistral (Tekken) count.
COUNTED: Final = [
    (
        "en",
        "Providers of high-risk AI systems shall ensure that their systems undergo the "
        "conformity assessment procedure referred to in Article 43, prior to their being "
        "placed on the market or put into service. Where the provider has reason to consider "
        "that a system presents a risk, it shall immediately inform the market surveillance "
        "authorities of the Member States in which it made the system available.",
        72,
    ),
    (
        "en",
        "| Age | Fee |\n| --- | --- |\n| up to 15 | 2.50 € |\n| 16 to 64 | 5.00 € |\n\nOpen Monday "
        "to Friday, 8:00 to 12:30; call 0123 456789 before you come.",
        79,
    ),
    (
        "de",
        "Anbieter von Hochrisiko-KI-Systemen stellen sicher, dass ihre Systeme dem "
        "einschlägigen Konformitätsbewertungsverfahren nach Artikel 43 unterzogen werden, "
        "bevor sie in Verkehr gebracht oder in Betrieb genommen werden. Hat der Anbieter Grund "
        "zu der Annahme, dass ein System ein Risiko birgt, so unterrichtet er unverzüglich die "
        "Marktüberwachungsbehörden der Mitgliedstaaten, in denen er es bereitgestellt hat.",
        115,
    ),
    (
        "de",
        "Das Bürgerbüro ist montags bis freitags von 8:00 bis 12:30 Uhr geöffnet. Ein "
        "Personalausweis kostet 37,00 €; unter 24 Jahren 22,80 €. Bitte bringen Sie ein "
        "biometrisches Passfoto mit.",
        69,
    ),
    (
        "fr",
        "Les fournisseurs de systèmes d’IA à haut risque veillent à ce que leurs systèmes "
        "soient soumis à la procédure d’évaluation de la conformité applicable visée à "
        "l’article 43, avant leur mise sur le marché ou leur mise en service.",
        62,
    ),
]


@pytest.mark.parametrize(("language", "text", "tokens"), COUNTED)
def test_an_estimate_is_not_below_what_tokenizers_count(language: str, text: str, tokens: int) -> None:
    assert 1.02 * estimate(text, language) >= tokens


@pytest.mark.parametrize(("language", "text", "tokens"), COUNTED)
def test_the_estimate_of_a_known_language_is_near(language: str, text: str, tokens: int) -> None:
    assert estimate(text, language) <= 1.35 * tokens


def test_a_text_of_an_unknown_language_counts_for_more() -> None:
    assert estimate("Swimming") > estimate("Swimming", "en")
    assert estimate("") == 0


def test_no_token_has_more_characters_than_the_most() -> None:
    for text in ("word " * 100, "ü" * 100, "1 2, 3!" * 20):
        for language in ("en", "de", "fr", ""):
            assert len(text) < MOST_CHARACTERS * estimate(text, language)
