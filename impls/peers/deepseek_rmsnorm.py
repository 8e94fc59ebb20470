#!/usr/bin/env python3
"""Computes exported RMSNorm cases in PyTorch, as the specification's class does, or with torch.nn.functional.rms_norm.

    ulpgate export q_a_layernorm DIR
    python3 -m venv venv && venv/bin/pip install torch numpy safetensors
    venv/bin/python impls/peers/deepseek_rmsnorm.py DIR [--kernel spec|rms_norm] [--device cpu|cuda]
    ulpgate gate files:DIR

For every case of DIR/manifest.json it writes DIR/out/NNN.safetensors with y, and who computed it.
Formula: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 94-111 (DeepseekV3RMSNorm).
"""
import argparse
import json
import os
import platform
import sys

import safetensors
import safetensors.torch
import torch


def spec(x, w, eps):
    h = x.to(torch.float32)
    v = h.pow(2).mean(-1, keepdim=True)
    h = h * torch.rsqrt(v + eps)
    return w * h.to(x.dtype)


def rms_norm(x, w, eps):
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), w, eps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir")
    parser.add_argument("--kernel", choices=("spec", "rms_norm"), default="spec")
    parser.add_argument("--device", default="cpu")
    a = parser.parse_args()
    kernel = {"spec": spec, "rms_norm": rms_norm}[a.kernel]
    name = {"spec": "DeepseekV3RMSNorm, PyTorch eager", "rms_norm": "torch.nn.functional.rms_norm"}[a.kernel]
    version = f"torch {torch.__version__}, {a.device} ({platform.machine()}, {torch.backends.cpu.get_cpu_capability()})"
    try:
        with open(os.path.join(a.dir, "manifest.json")) as f:
            manifest = json.load(f)
    except (OSError, ValueError) as e:
        sys.exit(f"{a.dir}/manifest.json: {e}: write it with `ulpgate export OP {a.dir}`")
    if manifest.get("schema") != "ulpgate.export/1":
        sys.exit(f"{a.dir}/manifest.json: schema {manifest.get('schema')!r}: this script reads ulpgate.export/1")
    for case in manifest["cases"]:
        with safetensors.safe_open(os.path.join(a.dir, case["inputs"]), framework="pt", device=a.device) as f:
            eps = float.fromhex(f.metadata()["eps"])
            names = set(f.keys())
            if not names <= {"x", "w"}:
                sys.exit(f"{case['inputs']}: holds {sorted(names - {'x', 'w'})}: this script computes x and w only")
            x, w = f.get_tensor("x"), f.get_tensor("w")
        with torch.no_grad():
            y = kernel(x, w, eps).contiguous().cpu()
        path = os.path.join(a.dir, case["outputs"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        safetensors.torch.save_file({"y": y}, path + ".part", metadata={"name": name, "version": version})
        os.replace(path + ".part", path)
    print(f"{name}; {version}: {len(manifest['cases'])} cases")


if __name__ == "__main__":
    main()
