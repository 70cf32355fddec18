//===- HtmlStyle.h - the style sheet of HTML reports ------------*- C++ -*-===//

#ifndef HEDDLE_BENCH_HTMLSTYLE_H
#define HEDDLE_BENCH_HTMLSTYLE_H

namespace heddle::bench {

constexpr char htmlStyle[] = R"css(
:root { color-scheme: light dark; --page: #ffffff; --text: #1c1e21; --soft: #5d6470; --line: #dfe2e6;
  --card: #f7f8fa; --accent: #1663c7; --other: #8a93a0; --kernel: #b3541e; --bad: #b3261e; --shade: #00000030; }
@media (prefers-color-scheme: dark) { :root { --page: #15181c; --text: #e7e9ec; --soft: #a2a9b4;
  --line: #343a42; --card: #1d2126; --accent: #6fb1ff; --other: #8b95a3; --kernel: #f0a36b; --bad: #ff8a80;
  --shade: #000000a0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.25rem 1rem 3rem; max-width: 80rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h3 { font-size: .95rem; margin: 1.25rem 0 .5rem; }
code { font: .92em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
p { margin: .15rem 0; color: var(--soft); }
section { margin-top: 1.5rem; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 2rem; }
.roofline { display: block; width: 100%; max-width: 560px; height: auto; font-size: 12px; }
.roofline .grid { stroke: var(--line); stroke-width: 1; }
.roofline .roof { stroke: var(--text); stroke-width: 1.6; } .roofline .roof.r1 { stroke-dasharray: 5 4; }
.roofline .leader { stroke: var(--soft); stroke-width: .7; }
.roofline text { fill: var(--text); }
.roofline .tick, .roofline .axis, .roofline .roofname { fill: var(--soft); }
.roofline .label { paint-order: stroke; stroke: var(--card); stroke-width: 3px; stroke-linejoin: round; }
.legend { font-size: .85rem; } .legend b { font-weight: 500; color: var(--text); }
.roofline .label.default { fill: var(--accent); font-weight: 600; }
.point.default { fill: var(--accent); } .point.other { fill: var(--other); } .point.kernel { fill: var(--kernel); }
.point { stroke: var(--card); stroke-width: 1; }
.bar { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 .75rem; margin: .45rem 0; font-size: .9rem; }
.bar .name { overflow-wrap: anywhere; } .bar .value { margin-left: auto; font-variant-numeric: tabular-nums; }
.bar .track { flex: 0 0 100%; position: relative; height: .8rem; background: var(--line); border-radius: 3px; }
.bar .track span { position: absolute; top: 0; bottom: 0; left: 0; background: var(--other); border-radius: 3px; }
.bar.default .track span { background: var(--accent); } .bar.kernel .track span { background: var(--kernel); }
.bar .track i { position: absolute; top: -2px; bottom: -2px; width: 2px; margin-left: -1px; background: var(--text); }
.bar .track i.beyond { right: -3px; width: .6rem; clip-path: polygon(0 0, 100% 50%, 0 100%); }
.scroll { overflow-x: auto; margin: 1rem 0 .5rem; scrollbar-width: thin; background:
  linear-gradient(to left, var(--card) 1rem, transparent) right / 3rem 100% no-repeat local,
  linear-gradient(to left, var(--shade), transparent) right / .9rem 100% no-repeat scroll; }
table { width: 100%; border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem 0 .25rem .75rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { position: sticky; left: 0; min-width: 7rem; padding-left: 0; background: var(--card);
  white-space: normal; overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 500; }
th.words, td.words { text-align: left; }
@media (max-width: 52rem) { /* the cells of a row are shown below each other, each with the name of its column */
  table, tbody { display: block; } tr:first-child { display: none; }
  tr { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); gap: .1rem 2rem;
    padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td, td.words { display: flex; justify-content: space-between; gap: 1rem; padding: 0; border: 0; text-align: right;
    white-space: normal; overflow-wrap: anywhere; }
  td::before { content: attr(data-column); color: var(--soft); text-align: left; white-space: nowrap; }
  td:first-child { position: static; grid-column: 1 / -1; font-weight: 600; text-align: left; }
  td:first-child::before { content: none; } td:empty { display: none; } }
ul { margin: .5rem 0 0; padding-left: 1.1rem; font-size: .9rem; }
li { overflow-wrap: anywhere; } .bad { color: var(--bad); }
)css";

} // namespace heddle::bench

#endif // HEDDLE_BENCH_HTMLSTYLE_H
