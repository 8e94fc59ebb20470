// The page's one style sheet. Text against its ground has a contrast of 4.5 or more in both palettes; page_test.py measures it.
#pragma once
#include <string_view>

namespace ulpgate::html {

inline constexpr std::string_view style = R"(
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1d1f;--dim:#53585e;--line:#c9ced4;--soft:#f2f4f6;--red:#a8071a;--green:#18652b;--amber:#7a4f00;--bar:#2f6ca8;--band:#fbe9c6}
@media(prefers-color-scheme:dark){:root{--bg:#15181b;--fg:#e7eaed;--dim:#a9b1b9;--line:#454c53;--soft:#20252a;--red:#ff9a94;--green:#7fd694;--amber:#f0c260;--bar:#6fa9df;--band:#3b3017}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1120px;padding:16px;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
h1{font-size:1.35rem;margin:.2em 0}h2{font-size:1.1rem;margin:1.6em 0 .5em;border-bottom:1px solid var(--line)}h3{font-size:1rem;margin:1em 0 .3em}
p{margin:.4em 0}.dim{color:var(--dim)}.red{color:var(--red)}.green{color:var(--green)}.amber{color:var(--amber)}
.strip{border-left:6px solid var(--line);background:var(--soft);padding:8px 14px}.strip.bad{border-color:var(--red)}.strip.good{border-color:var(--green)}
.numbers{display:flex;flex-wrap:wrap;gap:4px 28px;margin:.4em 0}.numbers b{font-size:1.5rem;display:block;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.87rem;font-variant-numeric:tabular-nums}
th,td{padding:3px 9px;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}th.n,td.n{text-align:right}td.free{white-space:normal;min-width:14em}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{background:var(--soft);padding:8px;white-space:pre-wrap;overflow-wrap:anywhere;margin:.4em 0}code{overflow-wrap:anywhere}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,330px),1fr));gap:12px 24px;align-items:start}figure{margin:0;min-width:0}.multiples{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(46%,190px),1fr));gap:8px 12px;align-items:start}.multiples svg{max-width:240px}
svg{width:100%;max-width:560px;height:auto;display:block}svg text{font:10.5px system-ui,sans-serif;fill:var(--fg)}svg .word{fill:var(--amber)}
.axis{stroke:var(--dim);fill:none}.bar{fill:var(--bar)}.dot{fill:var(--bar)}.ring{stroke:var(--amber);fill:none;stroke-width:1.8}.line{stroke:var(--amber);fill:none;stroke-width:1.8}.rule{stroke:var(--amber);fill:none;stroke-dasharray:3 2}.band{fill:var(--band)}
.bits{white-space:pre}.bits b{text-decoration:underline}.sides td{vertical-align:top;max-width:21em}.sides td div+div{margin-top:.4em;border-top:1px dotted var(--line)}details.case{margin:0}details.case code{display:block;max-width:30em;white-space:normal}
details{margin:.5em 0}summary{cursor:pointer}
)";

}  // namespace ulpgate::html
