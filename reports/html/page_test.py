"""page_test.py CHROMIUM ULPGATE FOLDER: opens the pages of four runs in headless Chromium at 1200 and 400 px, light and dark.
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
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push(`the page is ${document.documentElement.scrollWidth} px wide in a window of ${innerWidth}`);
  if (document.querySelector('img,script:not([data-check]),iframe,link')) found.push('something came in through a name');
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  parent.postMessage(JSON.stringify({found: [...new Set(found)], texts, labels, dark, width: innerWidth}), '*');
});
"""


def run(*args):
    return subprocess.run([ulpgate, *args], capture_output=True, text=True)


def browser(*args):
    return subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", *args],
                          capture_output=True, text=True, timeout=120)


hostile = str(folder / "k<img src=x onerror=alert(1)>.so")
pathlib.Path(hostile).write_text("no library")
run("gate", "scalar", "byhand/rstd_bf16", "byhand/nan_output", hostile, "--quick", "--op", "q_a_layernorm", "--html", str(folder / "gate.html"))
run("gate", "byhand/right", "--quick", "--op", "q_a_layernorm", "--html", str(folder / "pass.html"))
run("report", "budget", "scalar", "--op", "q_a_layernorm", "--type", "bf16,f32", "--rows", "16", "--html", str(folder / "budget.html"))
run("report", "eps", "scalar", "--op", "q_a_layernorm", "--type", "bf16", "--profile", "eps_ladder", "--html", str(folder / "eps.html"))

failed = []
for page in ("gate", "pass", "budget", "eps"):
    source = (folder / f"{page}.html").read_text()
    plain = browser("--dump-dom", f"file://{folder}/{page}.html")
    said = [l for l in plain.stderr.splitlines() if "CONSOLE" in l]
    if said:
        failed.append(f"{page}: console: {said[0]}")
    if "<script" in source or re.search(r"(src|href)\s*=\s*[\"']", source):
        failed.append(f"{page}: loads or runs something")
    checked = re.sub(r"<meta http-equiv[^>]*>", "", source).replace("</head>", f"<script data-check>{CHECK}</script></head>")
    (folder / f"{page}-checked.html").write_text(checked)
    for width in (1200, 400):
        for scheme, number in (("light", 1), ("dark", 0)):
            frame = folder / "frame.html"
            frame.write_text(f"<body style='margin:0'><iframe id=f src='{page}-checked.html' width={width} height=4000 style='border:0'></iframe><pre id=r></pre>"
                             "<script>addEventListener('message', e => document.getElementById('r').textContent = e.data)</script>")
            dom = browser(f"--blink-settings=preferredColorScheme={number}", "--virtual-time-budget=5000", "--window-size=1300,4000", "--dump-dom", f"file://{frame}")
            told = re.search(r'<pre id="r">(.*?)</pre>', dom.stdout, re.S)
            result = json.loads(html.unescape(told.group(1))) if told and told.group(1) else None
            if not result:
                failed.append(f"{page} {width} {scheme}: the check did not run")
                continue
            if result["width"] != width or result["dark"] != (scheme == "dark") or result["texts"] < 10:
                failed.append(f"{page} {width} {scheme}: checked something else: {result}")
            failed += [f"{page} {width} {scheme}: {f}" for f in result["found"]]
            if (width, scheme) in ((1200, "light"), (400, "dark")):
                browser(f"--blink-settings=preferredColorScheme={number}", "--window-size=1300,4000",
                        f"--screenshot={folder}/{page}-{width}-{scheme}.png", f"file://{frame}")
            print(page, width, scheme, result["texts"], "texts", result["labels"], "labels")

# The check itself is seen to fail.
bad = ("<!doctype html><body style='background:#fff'><p style='color:#aaa'>pale</p><div style='width:2000px'>wide</div>"
       "<svg viewBox='0 0 100 20' aria-label='x'><text x='1' y='10'>one</text><text x='3' y='10'>two</text></svg>" + f"<script data-check>{CHECK}</script>")
(folder / "bad.html").write_text(bad)
(folder / "frame.html").write_text("<iframe src='bad.html' width=400 height=900></iframe><pre id=r></pre>"
                                   "<script>addEventListener('message', e => document.getElementById('r').textContent = e.data)</script>")
dom = browser("--virtual-time-budget=5000", "--dump-dom", f"file://{folder}/frame.html").stdout
for word in ("contrast", "overlap", "px wide"):
    if word not in dom:
        failed.append(f"the check sees no {word} in a page that has it")
print("\n".join(failed) or "pages hold")
sys.exit(bool(failed))
