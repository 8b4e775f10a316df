import { urlOf, type Field, type PageRow, type Settings, type Tracker } from '../../core/index.js';
import { loadBlocks } from '../markdown/markdown-field.js';
import { loadMarkdown } from '../markdown/write-markdown.js';
import { DOCUMENT_FIELDS, pageView, type CountSkipped } from '../stated/page-view.js';
import type { ComputedFieldName } from './page-formats.js';
import type { Target, TargetResult } from '../target/target.js';
import { fileOfPage } from '../target/page-name.js';

export const MARKDOWN_FILE_FIELDS = [
  ...DOCUMENT_FIELDS,
  'title',
  'modifiedAt',
  'fetchedAt',
  'language',
] as const satisfies readonly Field[];

export const FRONT_MATTER_FIELDS = ['author', 'publishedAt'] as const satisfies readonly ComputedFieldName[];

/**
 * Loads the function that makes the file of a page: its main content as Markdown, after front matter. That function returns undefined for a
 * page without text.
 * @throws CrawlError MISSING_PACKAGE with the command that installs a missing package
 */
export async function loadMarkdownFile(
  settings: Settings,
): Promise<(row: PageRow<Field>, line: Readonly<Record<string, unknown>>, count: CountSkipped) => string | undefined> {
  const [blocksOf, write] = await Promise.all([loadBlocks(settings), loadMarkdown()]);
  return (row, line, count) => {
    const { removed } = line;
    const view = pageView(row, settings, count);
    const markdown = removed === undefined ? (view.within(() => write(blocksOf(view))) ?? '') : '';
    if (markdown === '' && removed === undefined) return undefined;
    return `${frontMatter(row, line)}${markdown === '' ? '' : `\n${markdown}\n`}`;
  };
}

/** Returns the front matter: the known fields of the page, then the given fields. It is YAML, with values in JSON, which YAML allows. */
function frontMatter(row: PageRow<Field>, line: Readonly<Record<string, unknown>>): string {
  const { title, language, modifiedAt, fetchedAt } = row;
  const { key: _key, readableUrl: _readable, url, status: _status, author, publishedAt, ...fields } = line;
  const known = {
    title,
    url,
    author,
    published: isoTime(publishedAt),
    date: isoTime(modifiedAt ?? fetchedAt),
    language,
    ...fields,
  };
  const lines = Object.entries(known).filter(([, value]) => value !== undefined);
  return ['---', ...lines.map(([name, value]) => `${name}: ${yamlOf(value)}`), '---', ''].join('\n');
}

function isoTime(time: unknown): string | undefined {
  return typeof time === 'number' ? new Date(time).toISOString() : undefined;
}

/**
 * JSON without characters that end a line in YAML. Programs that do not know front matter read it as Markdown, so it has no HTML and no
 * link either.
 */
function yamlOf(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff<]|(?<=\])\(/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Writes a file for each page with text, and counts the other pages. */
export async function writeMarkdownFiles(
  target: Target,
  rows: AsyncIterable<PageRow<Field>>,
  fileOf: (row: PageRow<Field>) => string | undefined,
  tracker: Pick<Tracker, 'done' | 'count' | 'aborted'>,
): Promise<TargetResult> {
  for await (const row of rows) {
    const text = fileOf(row);
    tracker.done(1);
    if (text === undefined) {
      tracker.count('no_markdown');
      continue;
    }
    const part = await target.part(fileOfPage(urlOf(row.key)));
    await part.write(text, 1);
    await part.end();
  }
  return tracker.aborted ? 'stopped' : {};
}
