import { createHash } from 'node:crypto';
import { VERSION, figures } from '../../../core/index.js';
import type { AuditRule, AuditSummary } from '../../report.js';
import { SOURCES_HEAD, sourceRecord } from '../csv.js';
import { clean, dayOf, escaped, ignoredLines, missing, momentOf, scopeText } from '../phrases.js';
import { inPieces, rulesById, type AuditWriter } from '../writer.js';
import { findingRow, holdsSources, scriptJson, sourceRows } from './rows.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

const FINDINGS_PER_ELEMENT = 500;

/**
 * Writes one page that needs no network. The findings are data in the page. The script of the page draws the findings that the reader
 * opens. No data can run as code: the Content-Security-Policy of the page allows only its own script and style, by their digests.
 */
export const writeHtml: AuditWriter = async ({ summary, findings, sourcesOf }, put, { beside }) => {
  const ruleOf = rulesById(summary);
  const rules = new Map<string, AuditRule & { readonly index: number }>();
  const hasSources = holdsSources(summary);
  const out = inPieces(put);
  const other = beside && !hasSources ? inPieces(beside.put) : undefined;
  await out.add(headOf(summary));
  await other?.add(SOURCES_HEAD);
  let part: string[] = [];
  let sources: string[] = [];
  const flush = async (): Promise<void> => {
    if (part.length === 0) return;
    await out.add(`<script type="application/json" class="findings">[${part.join(',\n')}]</script>\n`);
    if (hasSources) await out.add(`<script type="application/json" class="sources">${sources.join('\n')}</script>\n`);
    part = [];
    sources = [];
  };
  for await (const finding of findings) {
    let rule = rules.get(finding.rule);
    if (rule === undefined) rules.set(finding.rule, (rule = { ...ruleOf(finding), index: rules.size }));
    part.push(scriptJson(findingRow(finding, rule.index)));
    if (hasSources) sources.push(scriptJson(sourceRows(finding)));
    if (other) for await (const source of sourcesOf(finding)) await other.add(sourceRecord(finding, source));
    if (part.length === FINDINGS_PER_ELEMENT) await flush();
  }
  await flush();
  const where = hasSources ? '' : beside ? beside.name : undefined;
  const shown = [...rules.values()].map(({ index: _, ...rule }) => rule);
  await out.add(
    `<script type="application/json" id="report">${scriptJson({ rules: shown, beside: where ?? null, pages: summary.pages })}</script>\n`,
  );
  await out.add(`<script>${SCRIPT}</script>\n</body>\n</html>\n`);
  await out.end();
  await other?.end();
  if (hasSources || beside) return undefined;
  return 'The sources of the findings are not in the page: with -o <file> they are in a file beside it.';
};

function digest(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function headOf(summary: AuditSummary): string {
  const { counts, at, since, pages, links } = summary;
  const policy = `default-src 'none'; script-src ${digest(SCRIPT)}; style-src ${digest(STYLE)}; base-uri 'none'; form-action 'none'`;
  const title = `Audit of ${scopeText(summary)}`;
  const reasons = missing(summary);
  const tiles: readonly (readonly [string, number])[] = [
    ['errors', counts.error],
    ['warnings', counts.warn],
    ['notices', counts.notice],
    ['not verified', counts.unverified],
    ...(since === undefined ? [] : [[`new since ${dayOf(since)}`, counts.new] as const]),
    ['pages', pages],
    ['links', links],
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escaped(title)}</h1>
<p class="quiet">${escaped(scopeLine(summary))}${momentOf(at).slice(0, 16).replace('T', ' ')} UTC, webcrawl ${VERSION}</p>
</header>
<main>
${reasons.length === 0 ? '' : `<section class="missing" aria-labelledby="missing"><h2 id="missing">This report is not complete</h2><ul>${reasons.map((reason) => `<li>${escaped(reason)}</li>`).join('')}</ul></section>`}
<dl class="tiles">
${tiles.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${figures.number(value)}</dd></div>`).join('\n')}
</dl>
${ignoredLines(summary)
  .map((line) => `<p class="quiet">${escaped(line)}</p>\n`)
  .join('')}<noscript><p>The findings are shown by a script of this page, and scripts are switched off.</p></noscript>
<form id="filter" role="search" aria-label="Findings">
<p class="grow"><label for="text">Search</label><input id="text" type="search" placeholder="URL, message, or page with the link" autocomplete="off" spellcheck="false"></p>
<p><label for="severity">Severity</label><select id="severity"><option value="">all</option><option value="error">errors</option><option value="warn">warnings</option><option value="notice">notices</option></select></p>
<p><label for="group">Group</label><select id="group"><option value="">all</option></select></p>
<p><label for="state">State</label><select id="state"><option value="">all</option><option value="open">certain</option><option value="unsure">not verified or inconclusive</option>${since === undefined ? '' : '<option value="new">new</option>'}</select></p>
</form>
<p id="count" role="status"></p>
<div id="rules"></div>
</main>
`;
}

function scopeLine({ scope }: AuditSummary): string {
  return scope.length < 2
    ? ''
    : `${scope
        .slice(0, 20)
        .map((each) => clean(each))
        .join(', ')}${scope.length > 20 ? ' …' : ''}. `;
}
