"""Settings of the energy per answer, ``[energy]``."""

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class EnergySettings(BaseModel):
    """Declared properties of the hardware, for sites that show the energy of their answers (docs/energy.md).

    * ``pue``: total energy of the data centre divided by that of its machines
    * ``watts``: power of this machine while it answers, for an estimate if its counters cannot be read
    * ``prompt_wh``, ``output_wh``: watt hours of the language model's server per 1,000 tokens, if it is on
      another machine
    * ``model_here``: the model's server is on this machine, whose counters include it, although its address
      is not a loopback address
    """

    model_config = ConfigDict(extra="forbid")

    pue: float = Field(default=1.0, ge=1, le=3)
    watts: float | None = Field(default=None, gt=0, le=100_000)
    prompt_wh: float | None = Field(default=None, ge=0, le=1_000)
    output_wh: float | None = Field(default=None, ge=0, le=1_000)
    model_here: bool = False

    @model_validator(mode="after")
    def _counts_the_model_once(self) -> Self:
        if (self.prompt_wh is None) != (self.output_wh is None):
            raise ValueError(
                "set both prompt_wh and output_wh, or neither: use 0 for one that takes no energy"
            )
        if self.model_here and self.prompt_wh is not None:
            raise ValueError(
                "model_here says that this machine's counters include the language model: "
                "set that, or prompt_wh and output_wh"
            )
        return self
