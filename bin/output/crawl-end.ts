import type { Report } from '../../packages/webcrawl/internal.js';
import type { GlobalOptions } from '../cli.js';
import { duration, number, quantity, safeLines } from './output.js';
import { table } from './table.js';

const [FAILED_PARSE, CHANGED] = ['failed_', 'changes_'];
/** Changes that wait for a second fetch, and pages with other bytes only, which `webcrawl changes` does not list. */
const NO_CHANGES = ['changes_held', 'changes_bytes'];

export function crawlSummary({ seconds, counters, examples = {}, loginForms = [] }: Report): string {
  const { success = 0, notmodified = 0, moved = 0, temp_moved: movedToo = 0, needs_scripts: shells = 0 } = counters;
  const failures = failuresOf(counters, examples);
  const unparsed = failures.filter(({ name }) => name.startsWith(FAILED_PARSE));
  const parts = [quantity(success + notmodified - sumOf(unparsed), 'page')];
  if (notmodified > 0) parts.push(`${number(notmodified)} unchanged`);
  if (moved + movedToo > 0) parts.push(quantity(moved + movedToo, 'redirect'));
  const failed = sumOf(failures);
  const rows = failures.map(({ name, pages, url }) => [name.replace(FAILED_PARSE, ''), number(pages), url]);
  const lines = [`crawl: ${parts.join(', ')} in ${duration(seconds)}`];
  if (failed > 0) lines.push(`Not read: ${quantity(failed, 'page')}`, table(rows, { indent: '  ' }).trimEnd());
  if (shells > 0) {
    lines.push(
      `Empty without scripts: ${quantity(shells, 'page')}, such as ${examples['needs_scripts'] ?? ''}. A plugin can render them: see docs/PLUGINS.md.`,
    );
  }
  for (const { url, pages } of loginForms) {
    lines.push(
      `To log in: ${quantity(pages, 'page')} redirected to ${url}, which has a form with a password. Set http.cookies, or renew it.`,
    );
  }
  return `${safeLines(lines.join('\n'))}\n`;
}

/**
 * Returns the changes that the crawl found, and the commands that a person may need next.
 * @param options the options of the crawl that these commands need too
 */
export function afterCrawl({ counters, examples = {} }: Report, { table: location, config }: GlobalOptions): string {
  const { success = 0, notmodified = 0 } = counters;
  const option = (name: string, value = ''): string => (value === '' ? '' : ` ${name} ${inShell(value)}`);
  const webcrawl = `webcrawl${option('--table', location)}${option('--config', config)}`;
  const failed = failuresOf(counters, examples).find(({ name }) => !name.startsWith(FAILED_PARSE))?.url;
  const next: string[][] = [];
  if (failed !== undefined)
    next.push([`${webcrawl} explain ${inShell(failed)}`, 'why it failed, and what happens next']);
  if (success + notmodified > 0) {
    next.push([`${webcrawl} export pages -o pages.csv`, 'the pages as data; also .xlsx or .parquet']);
    next.push([`${webcrawl} index && ${webcrawl} serve`, 'a search page']);
  }
  const kinds = Object.entries(counters).filter(([name]) => name.startsWith(CHANGED) && !NO_CHANGES.includes(name));
  const listed = kinds
    .sort(([, a], [, b]) => b - a)
    .map(([name, pages]) => `${number(pages)} ${name.replace(CHANGED, '')}`);
  if (listed.length > 0) next.push([`${webcrawl} changes --since 1d`, 'the changes']);
  const changed = listed.length > 0 ? `Changes found: ${listed.join(', ')}\n` : '';
  return safeLines(`${changed}${next.length > 0 ? `Next:\n${table(next, { indent: '  ' })}` : ''}`);
}

const sumOf = (failures: readonly { readonly pages: number }[]): number =>
  failures.reduce((sum, { pages }) => sum + pages, 0);

function failuresOf(counters: Report['counters'], examples: Readonly<Record<string, string>>) {
  return Object.entries(examples)
    .filter(([name]) => name !== 'needs_scripts')
    .map(([name, url]) => ({ name, pages: counters[name] ?? 0, url }))
    .sort((a, b) => b.pages - a.pages || (a.name < b.name ? -1 : 1));
}

function inShell(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
