/**
 * The style of all pages. Each colour has one value for light pages and one for dark pages. Each text has a contrast of at least 4.5 to 1
 * on its background.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fbfbf9; --raised: #ffffff; --line: #dedfda; --text: #1d2321; --quiet: #5b6460;
  --link: #0b5c8f; --visited: #6a3d8f; --accent: #17695a; --on-accent: #ffffff; --mark: #fdeeb0; --bad: #a33022;
  --ins: #d6f1de; --del: #fbdfda;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #151917; --raised: #1d2220; --line: #363d3a; --text: #e7ebe8; --quiet: #a3ada8;
    --link: #8cc4ee; --visited: #cdaaf0; --accent: #6cc7b3; --on-accent: #0d211c; --mark: #564a12; --bad: #f49b8c;
    --ins: #1e4a30; --del: #58291f;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column;
  background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif;
}
:lang(ja) { font-family: system-ui, "Hiragino Sans", "Noto Sans CJK JP", sans-serif; }
a { color: var(--link); text-underline-offset: .15em; text-decoration-thickness: .06em; }
a:hover { text-decoration-thickness: .12em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
h1, h2, h3 { line-height: 1.25; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--raised); padding: .5rem 1rem; z-index: 1; }
.skip:focus { top: .5rem; }
.wrap { width: 100%; max-width: 46rem; margin: 0 auto; padding: 0 1.25rem; }
.wide { max-width: 68rem; }
.top { border-bottom: 1px solid var(--line); background: var(--raised); }
.top .wrap { display: flex; align-items: center; gap: .6rem 1.5rem; flex-wrap: wrap; padding-top: .7rem; padding-bottom: .7rem; }
.brand { font-weight: 650; letter-spacing: -.01em; color: var(--text); text-decoration: none; margin-right: auto; padding: .3rem 0; }
.brand span { color: var(--accent); }
.brand { display: inline-flex; align-items: center; min-width: 0; }
.brand img { margin-right: .6rem; height: 1.75rem; width: auto; max-width: 9rem; object-fit: contain; }
.brand > span { color: inherit; }
.brand bdi { overflow-wrap: anywhere; }
.top nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; list-style: none; margin: 0; padding: 0; }
.top nav a { color: var(--quiet); text-decoration: none; padding: .3rem 0; display: inline-block; border-bottom: 2px solid transparent; }
.top nav a:hover { color: var(--text); }
.top nav a[aria-current] { color: var(--text); border-bottom-color: var(--accent); }
main.wrap { flex: 1; padding-top: 1.75rem; padding-bottom: 3rem; }
main:focus { outline: none; }
.foot { border-top: 1px solid var(--line); color: var(--quiet); font-size: .875rem; }
.foot .wrap { padding-top: 1rem; padding-bottom: 1.25rem; }
.foot p { margin: 0; }

.search { display: flex; gap: .5rem; }
.search input {
  flex: 1; min-width: 0; font: inherit; font-size: 1.0625rem; color: inherit; background: var(--raised);
  border: 1px solid var(--quiet); border-radius: 8px; padding: .65rem .9rem;
}
.search button {
  font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent);
  border-radius: 8px; padding: .65rem 1.2rem; cursor: pointer;
}
.search button:hover { filter: brightness(1.08); }
.home { padding-top: min(11vh, 7rem); }
.home h1 { font-size: 2rem; letter-spacing: -.02em; margin-bottom: 1.25rem; }
.facts { color: var(--quiet); margin: .9rem 0 0; }
details { margin-top: 1rem; }
summary { cursor: pointer; color: var(--quiet); width: fit-content; padding: .2rem 0; }
summary:hover { color: var(--text); }
.help { margin: .75rem 0 0; display: grid; grid-template-columns: minmax(9rem, auto) 1fr; gap: .45rem 1.25rem; }
.help dt, code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Noto Sans Mono", monospace; font-size: .9em; }
.help dt { color: var(--text); overflow-wrap: anywhere; }
.help dd { margin: 0; color: var(--quiet); }

.count { font-size: 1rem; font-weight: 400; color: var(--quiet); margin: 1.5rem 0 0; }
.count strong { font-weight: 600; color: var(--text); }
.note { margin: 1rem 0 0; padding: .65rem .9rem; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; }
.results { list-style: none; margin: 1.25rem 0 0; padding: 0; }
.results > li { padding: 0 0 1.6rem; }
.results h2 { color: var(--link); font-size: 1.1875rem; font-weight: 550; display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; padding: 3px; margin: -3px; }
.results h2 a { text-decoration: none; }
.results h2 a:hover { text-decoration: underline; }
.results h2 a:visited { color: var(--visited); }
.where { margin: .1rem 0 0; font-size: .875rem; color: var(--accent); overflow-wrap: anywhere;
  display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
.snippet { margin: .3rem 0 0; text-wrap: pretty; overflow-wrap: anywhere; max-width: 42rem; }
mark { background: var(--mark); color: inherit; border-radius: 2px; padding: 0 .08em; }
.meta { margin: .35rem 0 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .1rem .9rem; font-size: .875rem; color: var(--quiet); }
.meta a { color: var(--quiet); }
.meta a:hover { color: var(--text); }
.day { font-size: 1.0625rem; margin: 1.75rem 0 .5rem; }
.changes { list-style: none; margin: 0; padding: 0; }
.changes > li { display: grid; grid-template-columns: 10rem minmax(0, 1fr); gap: .1rem 1.25rem; padding: .7rem 0; border-top: 1px solid var(--line); }
.changes h3 { font-size: 1rem; font-weight: 550; }
.changes h3 a { text-decoration: none; }
.changes h3 a:hover { text-decoration: underline; }
.changes p { margin: .2rem 0 0; font-size: .9375rem; }
.changes .kinds { margin: 0; font-weight: 600; color: var(--accent); overflow-wrap: anywhere; }
.changes [data-bad] .kinds { color: var(--bad); }
.kinds time { display: block; font-size: .8125rem; font-weight: 400; color: var(--quiet); }
.changes .diff { max-width: 46rem; margin-top: .4rem; padding-left: .75rem; border-left: 3px solid var(--line); overflow-wrap: anywhere; }
ins { background: var(--ins); text-decoration: underline; text-decoration-thickness: .06em; text-underline-offset: .15em; border-radius: 2px; }
del { background: var(--del); border-radius: 2px; }
.pages { margin-top: .5rem; border-top: 1px solid var(--line); padding-top: 1.1rem; }
.pages ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .35rem; }
.pages a, .pages [aria-current] { display: inline-block; min-width: 2.4rem; text-align: center; padding: .35rem .6rem; border-radius: 6px; text-decoration: none; border: 1px solid transparent; }
.pages a:hover { border-color: var(--line); background: var(--raised); }
.pages [aria-current] { background: var(--accent); color: var(--on-accent); font-weight: 600; }
.plain { margin: 1.5rem 0 0; }
.plain h1 { font-size: 1.5rem; }
.plain ul { padding-left: 1.2rem; }
.plain li { margin: .3rem 0; }
.cached { overflow-wrap: anywhere; margin: 1.5rem 0 0; padding: .35rem 1.25rem; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; line-height: 1.65; }
.cached p { margin: .9rem 0; max-width: 40rem; }
.cached :is(h2, h3, h4, h5, h6) { margin: 1.6rem 0 .6rem; font-size: 1.0625rem; }
.cached h2 { font-size: 1.3125rem; }
.cached h3 { font-size: 1.1875rem; }
.cached pre { margin: .9rem 0; padding: .6rem .8rem; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; line-height: 1.5; }
.cached blockquote { margin: .9rem 0; padding-left: .9rem; border-left: 3px solid var(--line); color: var(--quiet); }
.cached li > :is(p, ul, ol) { margin: .3rem 0; }
.cached table { border-collapse: collapse; font-size: .9375rem; overflow-wrap: normal; }
.cached :is(th, td) { padding: .3rem .7rem; border: 1px solid var(--line); text-align: start; vertical-align: top; }
.cached hr { border: 0; border-top: 1px solid var(--line); }
.cached :is(sub, sup) { line-height: 0; }
.cached del { background: none; }

.head { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; }
.head h1 { font-size: 1.5rem; letter-spacing: -.01em; }
.state { margin: 0; color: var(--quiet); }
.since { margin: 0; color: var(--quiet); }
.state::before { content: ""; display: inline-block; width: .6em; height: .6em; border-radius: 50%; background: var(--quiet); margin-right: .5em; }
.state[data-state="running"]::before { background: var(--accent); }
.state[data-state="lost"]::before { background: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1.25rem 0 0; padding: 0; }
.tiles > div, .card { background: var(--raised); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1.05rem; }
.tiles dt { font-size: .875rem; color: var(--quiet); }
.tiles dd, .card .now { margin: .1rem 0 0; font-size: 1.1875rem; font-weight: 600; letter-spacing: -.01em; font-variant-numeric: tabular-nums; line-height: 1.25; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: .75rem; margin-top: .75rem; align-items: start; }
.cards.small { grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); align-items: stretch; }
.cards.tables { display: block; columns: 2 24rem; column-gap: .75rem; }
.cards.tables .card { break-inside: avoid; margin-bottom: .75rem; }
[data-bad] dd, [data-rows="errors"] td { color: var(--bad); }
.card.fails .line { stroke: var(--bad); }
.card.fails .area { fill: var(--bad); }
.card h2 { font-size: 1rem; }
.small .card h2 { font-size: .875rem; font-weight: 400; color: var(--quiet); }
.chart { display: block; width: 100%; height: 4.5rem; margin-top: .6rem; }
.chart .line { fill: none; stroke: var(--accent); stroke-width: 1.75; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.chart .area { fill: var(--accent); opacity: .13; }
.chart .base { stroke: var(--line); vector-effect: non-scaling-stroke; }
.axis { display: flex; flex-wrap: wrap; justify-content: space-between; column-gap: .75rem; color: var(--quiet); font-size: .8125rem; margin: .25rem 0 0; }
.rows { width: 100%; border-collapse: collapse; margin-top: .5rem; font-size: .9375rem; }
.rows th, .rows td { text-align: left; font-weight: 400; padding: .3rem .75rem .3rem 0; border-top: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
.rows th[scope="row"] { width: 100%; white-space: normal; overflow-wrap: anywhere; }
.rows thead th { color: var(--quiet); font-size: .8125rem; border-top: 0; }
.rows tr > :last-child { text-align: right; padding-right: 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
.none { color: var(--quiet); margin: .5rem 0 0; }
.quiet { color: var(--quiet); }
.tabs ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: 0; padding: 0; }
.tabs a { display: inline-block; padding: .3rem 0; color: var(--quiet); text-decoration: none; border-bottom: 2px solid transparent; }
.tabs a:hover { color: var(--text); }
.tabs a[aria-current] { color: var(--text); border-bottom-color: var(--accent); }
.rules { list-style: none; padding: 0; margin-bottom: 0; }
.rule { scroll-margin-top: 1rem; min-width: 0; }
.rule[data-state="disabled"] { border-style: dashed; }
.rule .title { display: flex; gap: .5rem 1rem; justify-content: space-between; align-items: flex-start; }
.rule h2 { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Noto Sans Mono", monospace; font-size: .9375rem; padding-top: .3rem; min-width: 0; }
.rule .kind { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; color: var(--accent); }
.rule p { margin: .3rem 0 0; overflow-wrap: anywhere; }
.rule .quiet { font-size: .875rem; }
.rule details { margin-top: .6rem; font-size: .9375rem; }
.rule .axis { margin-top: .25rem; }
.pairs { display: flex; flex-wrap: wrap; gap: .35rem 1.5rem; margin: .6rem 0 0; }
.pairs > div { min-width: 0; }
.pairs dt { font-size: .8125rem; color: var(--quiet); }
.pairs dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.example { display: block; }
.act { margin: 0; }
.act button, .filter button {
  font: inherit; font-size: .9375rem; color: var(--text); background: var(--ground); border: 1px solid var(--quiet);
  border-radius: 8px; padding: .35rem .9rem; min-height: 2.25rem; cursor: pointer;
}
.act button:hover, .filter button:hover { border-color: var(--accent); color: var(--accent); }
.act .bad { color: var(--bad); border-color: var(--bad); font-weight: 600; }
.act .bad:hover { color: var(--bad); border-color: var(--text); }
.acts { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; margin-top: 1rem; }
.acts p { margin: 0; }
.danger { border-color: var(--bad); overflow-wrap: anywhere; }
.wide-card { margin-top: .75rem; }
.wide-card > .quiet { font-size: .875rem; margin: .6rem 0 0; }
.scroll { overflow-x: auto; margin-top: .25rem; }
.figures td, .figures thead th:not(:first-child) { text-align: right; font-variant-numeric: tabular-nums; }
.rows.figures th[scope="row"] { min-width: 14rem; }
.bar { display: inline-block; width: 4rem; height: .5rem; vertical-align: middle; }
.bar .base { fill: var(--line); }
.bar .part { fill: var(--accent); }
.filter { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: flex-end; margin-top: 1.25rem; }
.filter p { margin: 0; display: flex; flex-direction: column; }
.filter label { font-size: .875rem; color: var(--quiet); }
.filter input, .filter select { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--quiet); border-radius: 8px; padding: .3rem .6rem; min-height: 2.25rem; max-width: 100%; }
.filter input[type="number"] { width: 8rem; }
.narrow .filter { margin-top: .6rem; }
.narrow .filter p { flex: 0 1 auto; min-width: 7rem; }
.narrow #f-site { width: 14rem; }
.in1 { padding-left: 1rem; } .in2 { padding-left: 2rem; } .in3 { padding-left: 3rem; } .in4 { padding-left: 4rem; }
.in5 { padding-left: 5rem; } .in6 { padding-left: 6rem; } .in7 { padding-left: 7rem; } .in8 { padding-left: 8rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 34rem) {
  .wrap { padding-left: 1rem; padding-right: 1rem; }
  main.wrap { padding-top: 1.1rem; }
  .help { grid-template-columns: 1fr; gap: .1rem; }
  .help dd { margin-bottom: .6rem; }
  .tiles { grid-template-columns: 1fr 1fr; gap: .5rem; }
  .results h2 { font-size: 1.125rem; }
  .changes > li { grid-template-columns: minmax(0, 1fr); }
  .kinds time { display: inline; margin-left: .4rem; }
}
@media (prefers-reduced-motion: no-preference) { .skip { transition: top .12s; } }
@media (forced-colors: active) { mark { background: Mark; color: MarkText; } .chart .line { stroke: CanvasText; } .bar .part { fill: CanvasText; } .bar .base { fill: Canvas; stroke: CanvasText; } }
@media print { .top, .foot, .search, .pages { display: none; } }
`.trim();
