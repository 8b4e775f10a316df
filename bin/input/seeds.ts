import { createReadStream, statSync } from 'node:fs';
import { CrawlError, safeText, tryParseUrl } from '../../packages/webcrawl/names.js';
import type { Io } from '../io.js';
import { isUrl, readLines } from './input.js';
import { say } from '../output/output.js';

/** Seed lines, and where each was read. */
export interface Seeds {
  readonly lines: AsyncIterable<string>;
  /** Whether a line was itself an argument. */
  isArgument(line: number): boolean;
  /** The place of a line that has been read, by its number over all places, from 1 on: `seeds.txt:3`. */
  place(line: number): string;
}

/**
 * Seed lines from arguments: an http(s) URL is itself a line, `-` is standard input, anything else a file of lines.
 * Files are looked for before the first line is read.
 *
 * @throws CrawlError BAD_INPUT naming the argument that is neither
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
      for await (const text of readLines(arg === '-' ? stdin : createReadStream(arg), name)) {
        line += 1;
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

/** Lines that are reported one by one; more are only counted. */
const REPORTED = 20;

/** Reports each seed line that is not taken, with its place and the reason. Pass it to a job as `onRejected`. */
export function reportRejections(io: Io, seeds: Seeds): (line: number, text: string, reason: string) => void {
  let reported = 0;
  return (line, text, reason) => {
    reported += 1;
    if (reported <= REPORTED) say(io, `not taken, ${seeds.place(line)}: ${safeText(text)}: ${reason}`);
    if (reported === REPORTED) say(io, 'further ones are only counted');
  };
}

function expectFile(arg: string): void {
  let found: string;
  try {
    const stats = statSync(arg);
    if (stats.isFile() || stats.isFIFO() || stats.isCharacterDevice()) return;
    found = stats.isDirectory() ? 'a directory' : 'something that is no file';
  } catch (error) {
    found = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'nothing' : String(error);
  }
  const text =
    /^[\w-]+(\.[\w-]+)+(:\d+)?(\/.*)?$/.test(arg) && !/\.(txt|csv|tsv|json|list|seeds)$/.test(arg)
      ? `https://${arg}`
      : undefined;
  const url = text === undefined ? undefined : tryParseUrl(text);
  throw new CrawlError('BAD_INPUT', `expected an http or https URL or a file of seeds at ${arg}, found ${found}`, {
    ...(url && { hint: `did you mean ${url.href} ?` }),
  });
}
