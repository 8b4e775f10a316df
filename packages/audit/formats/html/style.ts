/**
 * The style of the report. Each colour has a value for light and for dark pages. Text has a contrast of at least 4.5 to 1 on its
 * background.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fbfbf9; --raised: #ffffff; --line: #dedfda; --text: #1d2321; --quiet: #5b6460;
  --link: #0b5c8f; --accent: #17695a; --error: #a33022; --warn: #7d5000; --notice: #3f5a78; --missing: #fdf3dc;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #151917; --raised: #1d2220; --line: #363d3a; --text: #e7ebe8; --quiet: #a3ada8;
    --link: #8cc4ee; --accent: #6cc7b3; --error: #f49b8c; --warn: #e8bd6a; --notice: #a9c4e4; --missing: #3a3013;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 76rem; padding: 1.25rem 1.5rem 4rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif;
}
h1, h2, h3, p, dl, dd, ul, ol { margin: 0; }
h1, h2, h3 { line-height: 1.25; font-weight: 600; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; letter-spacing: -.01em; }
h2 { font-size: 1.0625rem; }
a { color: var(--link); text-underline-offset: .15em; text-decoration-thickness: .06em; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Noto Sans Mono", monospace; font-size: .875em; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); overflow-wrap: anywhere; }
header .quiet { font-size: .875rem; margin-top: .25rem; }
.missing { background: var(--missing); border: 1px solid var(--warn); border-radius: 8px; padding: .75rem 1rem; margin-top: 1rem; }
.missing ul { padding-left: 1.2rem; margin-top: .25rem; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: .6rem; margin-top: 1rem; }
.tiles > div { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .6rem .85rem; }
.tiles dt { font-size: .8125rem; color: var(--quiet); }
.tiles dd { font-size: 1.1875rem; font-weight: 600; font-variant-numeric: tabular-nums; }
form { display: flex; flex-wrap: wrap; gap: .6rem .9rem; align-items: flex-end; margin-top: 1.25rem; }
form p { display: flex; flex-direction: column; min-width: 0; }
form .grow { flex: 1 1 18rem; }
form label { font-size: .8125rem; color: var(--quiet); }
input, select, button {
  font: inherit; font-size: .9375rem; color: inherit; background: var(--raised); border: 1px solid var(--quiet); border-radius: 8px;
  padding: .3rem .6rem; min-height: 2.25rem; max-width: 100%;
}
input::placeholder { color: var(--quiet); opacity: 1; }
button { cursor: pointer; }
button:hover:enabled { border-color: var(--accent); color: var(--accent); }
button:disabled { color: var(--quiet); border-color: var(--line); cursor: default; }
#count { margin: .9rem 0 .5rem; color: var(--quiet); }
.rule { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; margin-top: .5rem; }
.rule > summary { display: flex; align-items: baseline; gap: .25rem .75rem; padding: .6rem .9rem; cursor: pointer; list-style: none; }
.rule > summary::-webkit-details-marker { display: none; }
.rule > summary::before, .section > summary::before { content: "▸"; color: var(--quiet); flex: none; width: .8em; }
.rule[open] > summary::before, .section[open] > summary::before { content: "▾"; }
.rule > summary h2 { flex: 1; min-width: 0; font-size: 1rem; }
.rule > summary code { color: var(--quiet); font-weight: 400; }
.number { font-variant-numeric: tabular-nums; font-weight: 600; flex: none; }
.badge { font-size: .75rem; font-weight: 600; flex: none; width: 4.4rem; }
.badge[data-severity="error"] { color: var(--error); }
.badge[data-severity="warn"] { color: var(--warn); }
.badge[data-severity="notice"] { color: var(--notice); }
.inside { padding: 0 .9rem .9rem; }
.inside > .help { color: var(--quiet); max-width: 48rem; margin-bottom: .4rem; overflow-wrap: anywhere; }
.section { border-top: 1px solid var(--line); }
.section > summary { display: flex; gap: .75rem; align-items: baseline; padding: .4rem 0; cursor: pointer; list-style: none; }
.section > summary::-webkit-details-marker { display: none; }
.section > summary bdi { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.findings { list-style: none; padding: 0; }
.findings > li { border-top: 1px solid var(--line); padding: .55rem 0; }
.section .findings { padding-left: 1.55rem; }
.meta { display: flex; flex-wrap: wrap; gap: .05rem .9rem; font-size: .8125rem; color: var(--quiet); }
.meta strong { color: var(--warn); font-weight: 600; }
.message { overflow-wrap: anywhere; }
.proof { font-size: .8125rem; color: var(--quiet); overflow-wrap: anywhere; }
.sources { margin-top: .2rem; font-size: .875rem; }
.sources > summary { cursor: pointer; color: var(--link); width: fit-content; }
.sources ul { padding-left: 1.2rem; }
.sources li { overflow-wrap: anywhere; }
.turn { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; padding: .5rem 0; font-size: .875rem; color: var(--quiet); }
@media (max-width: 40rem) {
  body { padding: 1rem .9rem 3rem; }
  h1 { font-size: 1.25rem; }
  .tiles { grid-template-columns: repeat(3, 1fr); gap: .4rem; }
  .tiles > div { padding: .45rem .6rem; }
  .tiles dd { font-size: 1rem; }
  form .grow, form p { flex: 1 1 40%; }
  form .grow { flex-basis: 100%; }
  .rule > summary { flex-wrap: wrap; padding: .6rem .7rem; }
  .rule > summary h2 { order: 1; flex-basis: 100%; padding-left: 1.55rem; }
  .badge { width: auto; flex: 1; }
  .inside { padding: 0 .7rem .7rem; }
  .section .findings { padding-left: 0; }
}
@media print {
  form, .turn button { display: none; }
  .findings > li { break-inside: avoid; }
}
`.trim();
