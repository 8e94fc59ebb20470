#!/usr/bin/env python3
"""Judges the norms of impls/peers/norms and writes what was found as a page.

    python3 impls/peers/peers.py [--only MODULE ...] [--keep DIR] [--report FILE] [--quick]

Run it with a Python that has ulpgate; whatever of torch, jax, onnxruntime, ... that Python lacks is skipped, with its reason. Each module
says what it wraps (NAME, VERSION) and, in KERNELS, function by function: the contract that its source says for each type, where the source
says so, and, for a type whose outputs are known not to be allowed, why. Exit 0: every kernel computes what its source says and every
refusal is one of those explained. 1: not. 77: no kernel could be judged.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

NORMS = pathlib.Path(__file__).resolve().parent / "norms"
DESCRIBE = "import json, sys, {0} as m; print(json.dumps([m.VERSION, m.KERNELS, m.build(sys.argv[1]) if hasattr(m, 'build') else '']))"


def python(*args, timeout=900):
    try:
        return subprocess.run([sys.executable, *args], cwd=NORMS, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired as e:
        return subprocess.CompletedProcess(e.cmd, 124, "", f"longer than {timeout} s")


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no output"


def ulpgate(verb, subject, kind, flags, folder):
    """The first result of a run of one type, and what went wrong where there is none."""
    file = pathlib.Path(folder, "result.json")
    file.unlink(missing_ok=True)
    done = python("-m", "ulpgate", verb, subject, "--type", kind, "--timeout", "300", *flags, "--json", str(file))
    if not file.exists():
        return None, last_line(done.stderr)
    run = json.loads(file.read_text())
    trouble = run.get("not_loaded", []) + run.get("skipped", [])
    return (run["results"][0], "") if run["results"] else (None, trouble[0]["reason"] if trouble else last_line(done.stderr))


def same_map(found, says, kind):
    """In f32 the two casts of cast_first change nothing: it is f32_gain with (x r) w."""
    found = found.partition(",")[2]
    if kind == "f32" and says == "cast_first":
        return found.startswith(("cast_first", "f32_gain,assoc=xr_w"))
    if kind == "f32" and says.startswith("f32_gain") and "assoc" not in says:
        return found.startswith(("cast_first", "f32_gain"))
    return found.startswith(says)


def files(kernel, kind, folder):
    """The subject of what the kernel's script computes of exported cases, and what went wrong where there is none."""
    cases = str(pathlib.Path(folder, f"cases-{kind}"))
    op, *flags = kernel["export"]
    for step in (["-m", "ulpgate", "export", op, cases, "--type", kind, *flags], [str(NORMS / kernel["script"]), cases]):
        done = python(*step)
        if done.returncode:
            return None, last_line(done.stderr)
    return f"files:{cases}", ""


def judge(kernel, kind, subject, folder, quick):
    """One row of the table."""
    row = {"name": kernel["name"], "type": kind, "says": kernel["types"][kind], "source": kernel["source"], "known": kernel.get("inadmissible", {}).get(kind, "")}
    if "export" in kernel:
        subject, why = files(kernel, kind, folder)
        if not subject:
            return {**row, "verdict": "skipped", "why": why}
    flags = ["--quick", *kernel.get("flags", ["--op", "q_a_layernorm"])]
    found, why = ulpgate("gate", subject, kind, flags, folder)
    if found is None or found["verdict"] in ("skipped", "refused", "not_loaded"):
        return {**row, "verdict": "skipped", "why": why or found.get("what", "refused")}
    row |= {k: found.get(k) for k in ("verdict", "claim", "rows", "outside", "what", "witness", "replay")}
    if found["verdict"] == "inadmissible" and "elsewhere" in kernel:
        other, why = ulpgate("gate", subject, kind, ["--quick", *kernel["elsewhere"]], folder)
        row["elsewhere"] = {"flags": kernel["elsewhere"], "why": why, **{k: (other or {}).get(k) for k in ("verdict", "claim", "rows")}}
    flags = kernel.get("explain", ["--op", "q_a_layernorm", "--d", "512"])
    if flags and not quick and not row["known"]:
        said, why = ulpgate("explain", subject, kind, ["--no-behaviour", *flags], folder)
        row["order"] = (said or {}).get("order") or {"words": why}
        row["forms"] = (said or {}).get("computes", "")
    return row


def wrong(row):
    """Why a row fails the page, or ""."""
    if row["verdict"] == "skipped":
        return ""
    if row["verdict"] == "pass":
        if row["known"]:
            return f"passes, and is said to fail: {row['known']}"
        return "" if same_map(row["claim"], row["says"], row["type"]) else f"computes {row['claim']}, its source says {row['says']}"
    if not row["known"]:
        return f"{row['verdict']}, not explained: {row['what']}"
    elsewhere = row.get("elsewhere")
    if elsewhere and not (elsewhere["verdict"] == "pass" and same_map(elsewhere["claim"], row["says"], row["type"])):
        return f"{elsewhere['verdict']} {elsewhere['claim']} on {' '.join(elsewhere['flags'])}, its source says {row['says']}"
    return ""


def predicted(row):
    order = row.get("order") or {}
    if order.get("models"):
        return f"{order['equal']} of {order['replayed']} rows: `{order['models'][0]}`"
    return "no listed model" if order else "–"


def page(modules, versions):
    rows = [r for m in modules for r in m["rows"]]
    judged = [r for r in rows if r["verdict"] != "skipped"]
    named = [r for r in judged if not wrong(r)]
    tried = [r for r in judged if (r.get("order") or {}).get("replayed")]
    text = ["# Norms of other projects, judged on a CPU", "", "Written by `impls/peers/run.sh`; nothing here is typed by hand. " + versions, "",
            f"{len(judged)} judged ({len({r['name'] for r in judged})} kernels, by type): {len(named)} as their source says or with each refusal explained, "
            f"{len(judged) - len(named)} not; {len([r for r in rows if r['verdict'] == 'skipped'])} skipped. Bit for bit by an order model in every row tried: "
            f"{len([r for r in tried if r['order']['equal'] == r['order']['replayed']])} of the {len([r for r in judged if r.get('order')])} asked.", "",
            "| kernel | type | rows | verdict | contract found | its source says | predicted bit for bit |", "|---|---|---|---|---|---|---|"]
    for r in rows:
        found = r.get("elsewhere") or r
        shown = (found.get("claim") or "").partition(",")[2] or "none"
        text.append(f"| {r['name']} | {r['type']} | {r.get('rows', 0)} | {r['verdict'] if r['verdict'] == 'pass' else r['verdict'].upper()} "
                    f"| {shown} | {r['says']} | {predicted(r)} |")
    text += ["", "## Orders of the sums", ""]
    text += [f"- **{r['name']}, {r['type']}**: {r['order'].get('words') or 'not read'}" + (f"; {r['forms']}" if r.get("forms") else "") for r in rows if r.get("order")]
    text += ["", "## Not allowed, and why", ""]
    for r in judged:
        if r["verdict"] != "pass":
            text.append(f"- **{r['name']}, {r['type']}**: {r['what']}. {r['known'] or 'NOT EXPLAINED.'}")
            if r.get("elsewhere"):
                text.append(f"  Without it (`{' '.join(r['elsewhere']['flags'])}`): {r['elsewhere']['verdict']}, {r['elsewhere']['claim']}, {r['elsewhere']['rows']} rows.")
    text += ["", "## Where the sources say it", ""]
    text += [f"- {name}: {source}" for name, source in dict((r["name"], r["source"]) for r in rows).items()]
    text += ["", "## Versions", ""] + [f"- {m['module']}: {m['version']}" for m in modules if m["version"]]
    skipped = [f"- {r['name']}, {r['type']}: {r['why']}" for r in rows if r["verdict"] == "skipped"]
    skipped += [f"- {m['module']}: {m['skipped']}" for m in modules if m["skipped"]]
    text += ["", "## Skipped", ""] + (skipped or ["Nothing."])
    return "\n".join(text) + "\n"


def module_rows(name, folder, quick):
    described = python("-W", "ignore", "-c", DESCRIBE.format(name), folder)
    if described.returncode:
        return {"module": name, "version": "", "skipped": last_line(described.stderr), "rows": []}
    version, kernels, library = json.loads(last_line(described.stdout))
    rows = []
    for kernel in kernels:
        subject = library + kernel.get("variant", "") if library else f"python:{name}:{kernel.get('function', '')}"
        for kind in kernel["types"] if not quick else list(kernel["types"])[:1]:
            rows.append(judge(kernel, kind, subject, folder, quick))
            print(f"{rows[-1]['name']}, {kind}: {rows[-1]['verdict']} {rows[-1].get('claim') or rows[-1].get('why', '')} {wrong(rows[-1])}", flush=True)
    return {"module": name, "version": version, "skipped": "", "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = sorted(p.stem for p in NORMS.glob("*.py"))
    parser.add_argument("--only", nargs="*", choices=names, default=names, metavar="MODULE", help=f"of {', '.join(names)}")
    parser.add_argument("--keep", help="folder: modules that were judged are kept there and not judged again")
    parser.add_argument("--report", help="write the page here")
    parser.add_argument("--quick", action="store_true", help="the first type of each kernel, and no orders")
    a = parser.parse_args()
    modules = []
    with tempfile.TemporaryDirectory() as folder:
        for name in a.only:
            kept = pathlib.Path(a.keep, f"{name}.json") if a.keep else None
            if kept and kept.exists():
                modules.append(json.loads(kept.read_text()))
                continue
            modules.append(module_rows(name, folder, a.quick))
            if modules[-1]["skipped"]:
                print(f"SKIPPED: {name}: {modules[-1]['skipped']}", flush=True)
            elif kept:
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(modules[-1]))
    rows = [r for m in modules for r in m["rows"]]
    judged = [r for r in rows if r["verdict"] != "skipped"]
    bad = [r for r in judged if wrong(r)]
    if a.report:
        cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown CPU")
        text = page(modules, f"{datetime.date.today()}, Python {sys.version.split()[0]}, {cpu}.")
        pathlib.Path(a.report + ".part").write_text(text)
        os.replace(a.report + ".part", a.report)
    print(f"{len(judged)} judged, {len(bad)} wrong, {len(rows) - len(judged) + len([m for m in modules if m['skipped']])} skipped")
    return 1 if bad else 0 if judged else 77


if __name__ == "__main__":
    sys.exit(main())
