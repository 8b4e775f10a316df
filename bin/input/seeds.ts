import { statSync, type Stats } from 'node:fs';
import { CrawlError, safeText, tryParseUrl } from '../../packages/webcrawl/names.js';
import { openWithoutTable, type Cli } from '../cli.js';
import type { Io } from '../io.js';
import { library } from '../library.js';
import { isUrl, readFileBytes, readLines } from './input.js';
import { say } from '../output/output.js';

type Settings = Readonly<Record<string, unknown>>;

export interface Seeds {
  readonly lines: AsyncIterable<string>;
  isArgument(line: number): boolean;
  /** Returns the source of a line that was read, such as `seeds.txt:3`. Lines are numbered from 1 over all sources. */
  place(line: number): string;
}

/**
 * Reads seed lines from arguments. An http(s) URL is itself a line. `-` is standard input. Any other argument is a file of lines, or if
 * there is no such file, a site without a scheme, such as `example.com`. All files must exist before the first line is read. A file that
 * begins as XML, JSON or gzip data is rejected.
 * @throws CrawlError BAD_INPUT that names an argument which is neither a URL nor a file
 */
export function readSeeds(cli: Cli, args: readonly string[], settings: Settings = {}): Seeds {
  const sites = new Set(args.filter((arg) => arg !== '-' && !isUrl(arg) && !isFile(arg)));
  for (const site of sites) expectSite(site);
  const parts: { name: string; first: number }[] = [];
  let line = 0;

  async function* readAll(): AsyncIterable<string> {
    for (const arg of args) {
      const name = arg === '-' ? 'standard input' : arg;
      const isLine = isUrl(arg) || sites.has(arg);
      parts.push({ name: isLine ? '' : name, first: line + 1 });
      if (isLine) {
        line += 1;
        yield sites.has(arg) ? await urlOf(cli, arg, settings) : arg;
        continue;
      }
      let isStart = true;
      for await (const text of readLines(arg === '-' ? cli.io.stdin : readFileBytes(arg), name)) {
        line += 1;
        if (isStart) refuseOtherFormats(text, arg, name);
        isStart &&= text.trim() === '';
        yield text;
      }
    }
  }

  const partOf = (line: number) => parts.findLast(({ first }) => first <= line);
  return {
    lines: readAll(),
    isArgument: (line) => partOf(line)?.name === '',
    place(number) {
      const part = partOf(number);
      return part === undefined || part.name === '' ? 'argument' : `${part.name}:${number - part.first + 1}`;
    },
  };
}

function refuseOtherFormats(firstLine: string, arg: string, name: string): void {
  const start = firstLine.trimStart().charAt(0);
  const found = FORMATS.find(([first]) => start !== '' && first.includes(start));
  if (!found) return;
  const [, format, hint] = found;
  throw new CrawlError('BAD_INPUT', `${name} is ${format}, not a list of seeds`, { hint: hint(arg) });
}

const asSitemap = (arg: string): string => `if it is a sitemap or a feed: webcrawl inject --sitemap ${arg}`;
const asLines =
  (path: string) =>
  (arg: string): string =>
    `write each URL on a line, for example: jq -r '${path}'${arg === '-' ? '' : ` ${arg}`} | webcrawl inject -`;

/** The first characters of a file, the format that they show, and a hint on what to do with the file. */
const FORMATS: readonly (readonly [first: string, format: string, hint: (arg: string) => string])[] = [
  ['<', 'XML', asSitemap],
  ['\u001f', 'gzip data', asSitemap],
  ['{', 'JSON', asLines('.url')],
  ['[', 'JSON', asLines('.[]')],
];

const MAX_REPORTED_LINES = 20;

export function reportRejections(io: Io, seeds: Seeds): (line: number, text: string, reason: string) => void {
  let reported = 0;
  return (line, text, reason) => {
    reported += 1;
    const place = seeds.place(line);
    const where = place === 'argument' ? '' : `, ${place}`;
    if (reported <= MAX_REPORTED_LINES) say(io, `seed rejected${where}: ${safeText(text)} (${reason})`);
    if (reported === MAX_REPORTED_LINES) say(io, 'more rejected seeds are only counted');
  };
}

function isFile(arg: string): boolean {
  const stats = statsOf(arg);
  return stats !== undefined && (stats.isFile() || stats.isFIFO() || stats.isCharacterDevice());
}

/** Undefined: there is no such file, it may not be looked at, or this is too long for the name of a file. */
function statsOf(arg: string): Stats | undefined {
  try {
    return statSync(arg);
  } catch {
    return undefined;
  }
}

/** A host, such as `example.com`, `localhost:8080` or `[::1]`, perhaps with a path. */
const SITE = /^(localhost|\[[\da-f:.]+\]|[^\s/:?#@.]+(\.[^\s/:?#@.]+)+)(:\d+)?([/?].*)?$/i;
const SEED_FILE = /\.(txt|csv|tsv|json|list|seeds)$/;

/** Whether an argument is a site without a scheme, such as `example.com/llms.txt`. `seeds.txt` is none. */
export function isSite(arg: string): boolean {
  const isName = SEED_FILE.test(arg) && !arg.includes('/');
  return SITE.test(arg) && !isName && tryParseUrl(`https://${arg}`) !== undefined;
}

/** @throws CrawlError BAD_INPUT if an argument is neither a site without a scheme nor a URL */
function expectSite(arg: string): void {
  if (isSite(arg)) return;
  let problem = SEED_FILE.test(arg) ? 'there is no such file' : 'this is neither a URL nor a file of seeds';
  if (/^https?:/i.test(arg)) problem = 'this is not a valid URL';
  else if (/^[a-z][a-z\d+.-]*:\/\//i.test(arg)) problem = 'only http and https URLs can be crawled';
  else if (statsOf(arg)?.isDirectory()) problem = 'this is a directory, not a file of seeds';
  throw new CrawlError('BAD_INPUT', `${arg}: ${problem}`);
}

/** Returns an http or https URL as it is, and the URL of a site that is named without a scheme. @throws CrawlError BAD_INPUT */
export async function urlOf(cli: Cli, arg: string, settings: Settings): Promise<string> {
  if (isUrl(arg)) return arg;
  expectSite(arg);
  await using context = await openWithoutTable(cli, settings);
  const { urlOfSite } = await library();
  // Without this await, the context would be closed before the request.
  return await urlOfSite(await context.requesting(), arg, cli.io.signal);
}
