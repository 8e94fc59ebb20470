#!/usr/bin/env python3
"""Computes exported mla_query cases with the attention of Hugging Face transformers' DeepSeek-V3.

    ulpgate export mla_query DIR --d 64
    python3 -m venv venv && venv/bin/pip install torch numpy safetensors transformers
    venv/bin/python impls/peers/deepseek_query.py DIR
    ulpgate gate files:DIR

Its forward() runs as it stands, on the case's token and weights, until it has split q into q_nope and q_pe: those are written to
DIR/out/NNN.safetensors, and who computed them.
"""
import argparse
import json
import os
import platform
import sys

import safetensors
import safetensors.torch
import torch
import transformers
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as modeling


class Split(Exception):
    pass


class Watched:
    """torch as the module sees it; its first split ends the run."""

    def __getattr__(self, name):
        return getattr(torch, name)

    def split(self, *args, **kwargs):
        raise Split(torch.split(*args, **kwargs))


def sizes_of(line):
    model = {"rank": 1536, "heads": 64, "nope": 128, "rope": 64}
    given = dict(part.split("=", 1) for part in line.split("/") if "=" in part)
    return {k: int(given.get(k, v)) for k, v in model.items()}


def query(tensors, eps, sizes):
    h = tensors["h"]
    if h.shape[1] == 0:
        return (h.new_empty(h.shape[0], sizes["heads"], 0, n) for n in (sizes["nope"], sizes["rope"]))
    config = transformers.DeepseekV3Config(
        hidden_size=h.shape[-1], num_attention_heads=sizes["heads"], num_key_value_heads=sizes["heads"],
        q_lora_rank=sizes["rank"] or None, kv_lora_rank=8, qk_nope_head_dim=sizes["nope"], qk_rope_head_dim=sizes["rope"],
        v_head_dim=8, attention_bias=False, attn_implementation="eager")
    with torch.device("meta"):
        attention = modeling.DeepseekV3Attention(config, 0)
    attention = attention.to_empty(device="cpu").to(h.dtype)
    if sizes["rank"]:
        attention.q_a_proj.weight = torch.nn.Parameter(tensors["a"])
        attention.q_a_layernorm.weight = torch.nn.Parameter(tensors["q_gain"])
        attention.q_b_proj.weight = torch.nn.Parameter(tensors["q_b"])
        if attention.q_a_layernorm.variance_epsilon != eps:
            sys.exit(f"its latent norm has eps {attention.q_a_layernorm.variance_epsilon}, the case {eps}")
    else:
        attention.q_proj.weight = torch.nn.Parameter(tensors["q_b"])
    angles = torch.zeros(1, h.shape[1], sizes["rope"], dtype=h.dtype)
    modeling.torch = Watched()
    try:
        attention(hidden_states=h, position_embeddings=(angles, angles), attention_mask=None)
    except Split as e:
        return e.args[0]
    finally:
        modeling.torch = torch
    sys.exit("its forward() no longer splits q with torch.split")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    a = parser.parse_args()
    name = "DeepseekV3Attention, transformers"
    version = f"transformers {transformers.__version__}, torch {torch.__version__} ({platform.machine()}, {torch.backends.cpu.get_cpu_capability()})"
    try:
        with open(os.path.join(a.dir, "manifest.json")) as f:
            manifest = json.load(f)
    except (OSError, ValueError) as e:
        sys.exit(f"{a.dir}/manifest.json: {e}: write it with `ulpgate export mla_query {a.dir}`")
    if manifest.get("schema") != "ulpgate.export/1":
        sys.exit(f"{a.dir}/manifest.json: schema {manifest.get('schema')!r}: this script reads ulpgate.export/1")
    for case in manifest["cases"]:
        with safetensors.safe_open(os.path.join(a.dir, case["inputs"]), framework="pt") as f:
            line, eps = f.metadata()["case"], float.fromhex(f.metadata()["eps"])
            tensors = {k: f.get_tensor(k) for k in f.keys()}
        if not line.startswith("mla_query/") or not set(tensors) <= {"h", "a", "q_gain", "q_b"}:
            sys.exit(f"{line}: this script computes mla_query without scales, bias or positions")
        with torch.no_grad():
            q_nope, q_pe = (q.contiguous() for q in query(tensors, eps, sizes_of(line)))
        path = os.path.join(a.dir, case["outputs"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        safetensors.torch.save_file({"q_nope": q_nope, "q_pe": q_pe}, path + ".part", metadata={"name": name, "version": version})
        os.replace(path + ".part", path)
    print(f"{name}; {version}: {len(manifest['cases'])} cases")


if __name__ == "__main__":
    main()
