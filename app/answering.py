"""How the settings and the preset have questions answered."""

from typing import TYPE_CHECKING

from app.chat.answer import ChatOptions
from app.presets import Preset
from app.settings import Settings

if TYPE_CHECKING:
    from app.chat.models import ChatModel


def make_model(settings: Settings) -> "ChatModel | None":
    """The language model, if the settings name one."""
    chat = settings.chat
    if not chat.model:
        return None
    from app.chat.models import ChatModel  # noqa: PLC0415 - its client takes half a second to import

    return ChatModel(
        chat.base_url,
        chat.api_key.get_secret_value(),
        chat.model,
        context_tokens=chat.context_tokens,
        first_token_seconds=chat.first_token_seconds,
        idle_seconds=chat.idle_seconds,
        answer_seconds=chat.answer_seconds,
        limit_parameter=chat.limit_parameter,
    )


def chat_options(settings: Settings, preset: Preset) -> ChatOptions:
    """What an answer may take and is made of."""
    chat, question = settings.chat, preset.question
    return ChatOptions(
        purpose=question.prompt,
        budget_tokens=question.budget_tokens,
        answer_tokens=chat.answer_tokens,
        rephrase=question.rephrase,
        extract=question.extract,
        rephrase_seconds=chat.rephrase_seconds,
        question_characters=settings.question_characters,
        contact=settings.contact,
    )
