import type { ChangesSummary, Report } from '../../packages/webcrawl/internal.js';
import { duration, number, quantity, safeLines, table } from './output.js';

/** Changes of pages since the start of a crawl, by kind. */
export interface CrawlChanges extends Pick<ChangesSummary, 'baseline'> {
  readonly kinds: ReadonlyMap<string, number>;
}

const FAILED_PARSE = 'failed_';

/** Returns the report of a crawl for people: its pages, and the reasons why others have none, with a URL for each. */
export function crawlSummary({ seconds, counters, examples = {}, loginForms = [] }: Report): string {
  const { success = 0, notmodified = 0, moved = 0, temp_moved: movedToo = 0, needs_scripts: shells = 0 } = counters;
  const parts = [quantity(success + notmodified, 'page')];
  if (notmodified > 0) parts.push(`${number(notmodified)} unchanged`);
  if (moved + movedToo > 0) parts.push(quantity(moved + movedToo, 'redirect'));
  const failures = failuresOf(counters, examples);
  const failed = failures.reduce((sum, { pages }) => sum + pages, 0);
  const rows = failures.map(({ name, pages, url }) => [name.replace(FAILED_PARSE, ''), number(pages), url]);
  const lines = [`crawl: ${parts.join(', ')} in ${duration(seconds)}`];
  if (failed > 0) lines.push(`Not read: ${quantity(failed, 'page')}`, table(rows, '  ').trimEnd());
  if (shells > 0) {
    lines.push(
      `Empty without scripts: ${quantity(shells, 'page')}, such as ${examples['needs_scripts'] ?? ''}. A plugin can render them.`,
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
 * Returns what has changed since the last crawl, and the commands that a person may need next.
 * @param globals the global options of these commands, with a space after each
 */
export function afterCrawl({ counters, examples = {} }: Report, changes: CrawlChanges, globals: string): string {
  const kinds = [...changes.kinds].sort(([, a], [, b]) => b - a).map(([kind, pages]) => `${number(pages)} ${kind}`);
  const failed = failuresOf(counters, examples).find(({ name }) => !name.startsWith(FAILED_PARSE))?.url;
  const hasPages = (counters['success'] ?? 0) + (counters['notmodified'] ?? 0) > 0;
  const lines: string[] = [];
  if (kinds.length > 0) lines.push(`Changed since the last crawl: ${kinds.join(', ')}`);
  else if (hasPages && changes.baseline === 0) lines.push('Nothing has changed since the last crawl.');
  const next: string[][] = [];
  if (failed !== undefined) next.push([`explain ${inShell(failed)}`, 'why it failed, and what happens next']);
  if (hasPages) next.push(['export pages -o pages.csv', 'the pages as data; also .xlsx or .parquet']);
  if (hasPages) next.push(['index && webcrawl serve', 'a search page']);
  if (kinds.length > 0) next.push(['changes --since 1d', 'the changes']);
  if (next.length > 0) {
    const rows = next.map(([command = '', use = '']) => [
      `webcrawl ${command}`.replaceAll('webcrawl ', `webcrawl ${globals}`),
      use,
    ]);
    lines.push(`Next:\n${table(rows, '  ').trimEnd()}`);
  }
  return safeLines(lines.map((line) => `${line}\n`).join(''));
}

/** Returns the reasons why pages were not read, the most frequent first, each with the URL of a page. */
function failuresOf(counters: Report['counters'], examples: Readonly<Record<string, string>>) {
  return Object.entries(examples)
    .filter(([name]) => name !== 'needs_scripts')
    .map(([name, url]) => ({ name, pages: counters[name] ?? 0, url }))
    .sort((a, b) => b.pages - a.pages || (a.name < b.name ? -1 : 1));
}

/** Returns a string as one argument of a shell. */
export function inShell(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
