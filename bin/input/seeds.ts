import { statSync } from 'node:fs';
import { CrawlError, safeText, tryParseUrl } from '../../packages/webcrawl/names.js';
import type { Io } from '../io.js';
import { isUrl, readFileBytes, readLines } from './input.js';
import { say } from '../output/output.js';

/** Seed lines and their sources. */
export interface Seeds {
  readonly lines: AsyncIterable<string>;
  /** Whether a line was given as an argument itself. */
  isArgument(line: number): boolean;
  /** Returns the source of a line that was read, such as `seeds.txt:3`. Lines are numbered from 1 over all sources. */
  place(line: number): string;
}

/**
 * Reads seed lines from arguments. An http(s) URL is itself a line. `-` is standard input. Any other argument is a file of lines. All files
 * must exist before the first line is read. A file that begins as XML, JSON or gzip data is rejected.
 * @throws CrawlError BAD_INPUT that names an argument which is neither a URL nor a file
 */
export function readSeeds(args: readonly string[], stdin: AsyncIterable<Uint8Array | string>): Seeds {
  for (const arg of args) if (arg !== '-' && !isUrl(arg)) expectFile(arg);
  const parts: { name: string; first: number }[] = [];
  let line = 0;

  async function* readAll(): AsyncIterable<string> {
    for (const arg of args) {
      const name = arg === '-' ? 'standard input' : arg;
      parts.push({ name: isUrl(arg) ? '' : name, first: line + 1 });
      if (isUrl(arg)) {
        line += 1;
        yield arg;
        continue;
      }
      let isStart = true;
      for await (const text of readLines(arg === '-' ? stdin : readFileBytes(arg), name)) {
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

/**
 * Rejects a file whose first line shows that it is not a list of URLs.
 * @throws CrawlError BAD_INPUT with a hint how to make seeds from its URLs
 */
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

/** Maximum number of rejected lines to report one by one. More lines are only counted. */
const REPORTED = 20;

/** Returns a function that reports each rejected seed line, with its source and the reason. Pass the function to a job as `onRejected`. */
export function reportRejections(io: Io, seeds: Seeds): (line: number, text: string, reason: string) => void {
  let reported = 0;
  return (line, text, reason) => {
    reported += 1;
    const place = seeds.place(line);
    const where = place === 'argument' ? '' : `, ${place}`;
    if (reported <= REPORTED) say(io, `seed rejected${where}: ${safeText(text)} (${reason})`);
    if (reported === REPORTED) say(io, 'more rejected seeds are only counted');
  };
}

function expectFile(arg: string): void {
  let problem: string;
  try {
    const stats = statSync(arg);
    if (stats.isFile() || stats.isFIFO() || stats.isCharacterDevice()) return;
    problem = stats.isDirectory() ? 'this is a directory, not a file of seeds' : 'this is not a file of seeds';
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    problem = isMissing ? 'this is neither a URL nor a file of seeds' : String(error);
  }
  if (/^https?:/i.test(arg)) problem = 'this is not a valid URL';
  else if (/^[a-z][a-z\d+.-]*:\/\//i.test(arg)) problem = 'only http and https URLs can be crawled';
  const text =
    /^(localhost|[\w-]+(\.[\w-]+)+)(:\d+)?(\/.*)?$/.test(arg) && !/\.(txt|csv|tsv|json|list|seeds)$/.test(arg)
      ? `${arg.startsWith('localhost') ? 'http' : 'https'}://${arg}`
      : undefined;
  const url = text === undefined ? undefined : tryParseUrl(text);
  throw new CrawlError('BAD_INPUT', `${arg}: ${problem}`, {
    ...(url && { hint: `did you mean ${url.href} ?` }),
  });
}
