"""Settings of the console, ``[console]``."""

from ipaddress import ip_network
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from app.settings.sites import WebAddress


def _network(text: str) -> str:
    try:
        return str(ip_network(text))
    except ValueError:
        raise ValueError(
            f"{text!r} is not an address: use one such as 10.0.0.5, or a network such as 10.0.0.0/24"
        ) from None


Network = Annotated[str, AfterValidator(_network)]


class ConsoleSettings(BaseModel):
    """Log-in at ``/admin`` by a proxy in front of the server (docs/console.md).

    ``user_header``: the request header with the name of the user whom the proxy has authenticated; they must
    be known to ``auskunft users``. ``proxies``: the proxies' addresses; the header is refused from other
    clients. ``logout_url``: the proxy's address for logging out.
    """

    model_config = ConfigDict(extra="forbid")

    user_header: str = Field(default="", pattern=r"^([A-Za-z][A-Za-z0-9-]{0,63})?$")
    proxies: list[Network] = ["127.0.0.1/32", "::1/128"]
    logout_url: WebAddress = ""

    @model_validator(mode="after")
    def _trusts_somebody(self) -> Self:
        if self.user_header and not self.proxies:
            raise ValueError("user_header needs proxies: set the addresses that may send it")
        return self
