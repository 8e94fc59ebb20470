"""page_test.py CHROMIUM ULPGATE FOLDER: opens the pages of six runs in headless Chromium at 1200 and 400 px, light and dark.
A page must say nothing on the console and ask for nothing; its text must have a contrast of 4.5 and its labels must not overlap;
it must not be wider than its window. Screenshots stay in FOLDER."""
import html
import json
import pathlib
import re
import subprocess
import sys

chromium, ulpgate, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)

CHECK = r"""
addEventListener('load', () => {
  const rgb = c => (c.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const lum = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((s, v, k) => s + v * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const found = [];
  document.querySelectorAll('details').forEach(d => d.open = true);
  let texts = 0;
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    if (e.closest('title')) continue;
    const style = getComputedStyle(e), svg = e instanceof SVGElement;
    const back = svg ? getComputedStyle(document.body).backgroundColor : null;
    const grounds = [svg ? rgb(back) : ground(e)];
    if (svg && e.classList.contains('word')) grounds.push(rgb(getComputedStyle(document.documentElement).getPropertyValue('--band').replace(/#(..)(..)(..)/, (m, a, b, c) => `rgb(${parseInt(a, 16)},${parseInt(b, 16)},${parseInt(c, 16)})`)));
    const a = lum(rgb(svg ? style.fill : style.color));
    ++texts;
    for (const g of grounds) {
      const b = lum(g), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) found.push(`contrast ${ratio.toFixed(2)} of "${e.textContent.trim().slice(0, 40)}"`);
    }
  }
  let labels = 0;
  for (const svg of document.querySelectorAll('svg')) {
    const own = svg.getBoundingClientRect(), boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    labels += boxes.length;
    boxes.forEach(([t, b], k) => {
      if (b.left < own.left - 1 || b.right > own.right + 1 || b.top < own.top - 1 || b.bottom > own.bottom + 1) found.push(`label "${t}" leaves its plot`);
      for (const [u, c] of boxes.slice(k + 1))
        if (b.left < c.right - 0.5 && c.left < b.right - 0.5 && b.top < c.bottom - 1.5 && c.top < b.bottom - 1.5) found.push(`labels "${t}" and "${u}" overlap`);
    });
    if (!svg.getAttribute('aria-label')) found.push('a plot without a name');
    if (!svg.closest('figure')?.querySelector('table') && !svg.closest('.pair')?.querySelector('table')) found.push('a plot without its table');
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push(`the page is ${document.documentElement.scrollWidth} px wide in a window of ${innerWidth}`);
  if (document.querySelector('img,script:not([data-check]),iframe,link')) found.push('something came in through a name');
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  parent.postMessage(JSON.stringify({found: [...new Set(found)], texts, labels, dark, width: innerWidth}), '*');
});
"""


widths = (1200, 400)


def run(*args):
    ran = subprocess.run([ulpgate, *args], capture_output=True, text=True)
    if ran.returncode not in (0, 1, 4):
        sys.exit(f"ulpgate {' '.join(args)}: exit {ran.returncode}\n{ran.stderr}")


def browser(*args):
    return subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", *args],
                          capture_output=True, text=True, timeout=120)


def frame(page, height):
    """Both widths side by side, each page's own window; what their checks say as JSON in <pre>."""
    file = folder / "frame.html"
    frames = "".join(f"<iframe src='{page}' width={w} height={height} style='border:0;margin-right:20px'></iframe>" for w in widths)
    file.write_text(f"<body style='margin:0;white-space:nowrap;background:#888'>{frames}<pre id=r></pre><script>const told = [];"
                    "addEventListener('message', e => { told.push(JSON.parse(e.data)); document.getElementById('r').textContent = JSON.stringify(told); })</script>")
    return f"--window-size={sum(widths) + 60},{height}", f"file://{file}"


hostile = str(folder / "k<img src=x onerror=alert(1)>.so")
pathlib.Path(hostile).write_text("no library")
html_of = lambda page: str(folder / f"{page}.html")
run("gate", "scalar", "byhand/rstd_bf16", "byhand/nan_output", hostile, "--quick", "--op", "q_a_layernorm", "--html", html_of("gate"))
run("gate", "byhand/right", "--quick", "--op", "q_a_layernorm", "--html", html_of("pass"))
run("report", "budget", "scalar", "--op", "q_a_layernorm", "--type", "bf16,f32", "--rows", "16", "--html", html_of("budget"))
run("report", "budget", "scalar_query", "--op", "mla_query", "--type", "bf16", "--d", "256", "--html", html_of("query"))
run("report", "eps", "scalar", "--op", "q_a_layernorm", "--type", "bf16", "--profile", "eps_ladder", "--config-eps", "1e-5", "--html", html_of("eps"))
# Several subjects: sampled rows, every word of a type, and the searched table.
run("gate", "scalar", "avx2", "byhand/rstd_bf16", "--quick", "--op", "q_a_layernorm", "--json", str(folder / "gate.json"))
run("search", "scalar", "--exhaustive", "--type", "bf16", "--gain", "1", "-o", str(folder))
run("report", "table", "--json", str(folder / "table.json"))
run("report", "--merge", str(folder / "gate.json"), str(folder / "table.json"), str(folder / "exhaustive-1-of-1.json"), "--html", html_of("compare"))

failed = []
for page in ("gate", "pass", "budget", "query", "eps", "compare"):
    source = (folder / f"{page}.html").read_text()
    if "<script" in source or re.search(r"(src|href)\s*=\s*[\"']", source):
        failed.append(f"{page}: loads or runs something")
    checked = re.sub(r"<meta http-equiv[^>]*>", "", source).replace("</head>", f"<script data-check>{CHECK}</script></head>")
    (folder / f"{page}-checked.html").write_text(checked)
    for scheme, number in (("light", 1), ("dark", 0)):
        setting = f"--blink-settings=preferredColorScheme={number}"
        dom = browser(setting, "--virtual-time-budget=5000", "--dump-dom", *frame(f"{page}-checked.html", 4000))
        told = re.search(r'<pre id="r">(.*?)</pre>', dom.stdout, re.S)
        results = {r["width"]: r for r in json.loads(html.unescape(told.group(1)))} if told and told.group(1) else {}
        for width in widths:
            result = results.get(width)
            if not result:
                failed.append(f"{page} {width} {scheme}: the check did not run")
                continue
            if result["dark"] != (scheme == "dark") or result["texts"] < 10:
                failed.append(f"{page} {width} {scheme}: checked something else: {result}")
            failed += [f"{page} {width} {scheme}: {f}" for f in result["found"]]
            print(page, width, scheme, result["texts"], "texts", result["labels"], "labels")
        plain = browser(setting, f"--screenshot={folder}/{page}-{scheme}.png", *frame(f"{page}.html", 2400))
        said = [l for l in plain.stderr.splitlines() if "CONSOLE" in l]
        if said:
            failed.append(f"{page} {scheme}: console: {said[0]}")
        if not (folder / f"{page}-{scheme}.png").exists():
            failed.append(f"{page} {scheme}: no screenshot")

# The check itself is seen to fail.
bad = ("<!doctype html><body style='background:#fff'><p style='color:#aaa'>pale</p><div style='width:2000px'>wide</div>"
       "<svg viewBox='0 0 100 20' aria-label='x'><text x='1' y='10'>one</text><text x='3' y='10'>two</text></svg>" + f"<script data-check>{CHECK}</script>")
(folder / "bad.html").write_text(bad)
(folder / "frame.html").write_text("<iframe src='bad.html' width=400 height=900></iframe><pre id=r></pre>"
                                   "<script>addEventListener('message', e => document.getElementById('r').textContent = e.data)</script>")
dom = browser("--virtual-time-budget=5000", "--dump-dom", f"file://{folder}/frame.html").stdout
(folder / "noisy.html").write_text("<!doctype html><script>console.log('x')</script>")
if "CONSOLE" not in browser(f"--screenshot={folder}/noisy.png", *frame("noisy.html", 400)).stderr:
    failed.append("the check hears no console message")
for word in ("contrast", "overlap", "px wide", "without its table"):
    if word not in dom:
        failed.append(f"the check sees no {word} in a page that has it")
print("\n".join(failed) or "pages hold")
sys.exit(bool(failed))
