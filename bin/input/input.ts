import { createReadStream } from 'node:fs';
import { CrawlError, tryParseUrl } from '../../packages/webcrawl/names.js';
import type { Io } from '../io.js';

/** Characters of a line after which it is none that we take. */
const MAX_LINE = 1_000_000;

/**
 * The URLs of arguments, with the lines of standard input for `-`: of each line what is before a tab, empty lines
 * and comments (`#`) left out, so that a file of seeds can be read.
 */
export async function* readUrls(args: readonly string[], stdin: Io['stdin']): AsyncGenerator<string> {
  for (const arg of args) {
    if (arg !== '-') {
      yield arg;
      continue;
    }
    for await (const line of readLines(stdin, 'standard input')) {
      const url = line.split('\t', 1)[0]?.trim() ?? '';
      if (url !== '' && !url.startsWith('#')) yield url;
    }
  }
}

/**
 * The first bytes of a file, or of standard input for `-`.
 * @param limit bytes at the most; below 0 is no limit
 * @throws CrawlError BAD_INPUT when it cannot be read
 */
export async function readBytes(
  source: string,
  stdin: Io['stdin'],
  limit: number,
): Promise<{ readonly bytes: Uint8Array; readonly truncated: boolean }> {
  const most = limit < 0 ? Infinity : limit;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of source === '-' ? stdin : (createReadStream(source) as Io['stdin'])) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      chunks.push(bytes);
      size += bytes.length;
      if (size > most) break;
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CrawlError('BAD_INPUT', `expected a file or an http or https URL, found: ${why}`, { cause });
  }
  const bytes = Buffer.concat(chunks);
  return { bytes: bytes.subarray(0, Math.min(size, most)), truncated: size > most };
}

/** Whether an argument is an http(s) URL and no file. */
export function isUrl(arg: string): boolean {
  return /^https?:/i.test(arg) && tryParseUrl(arg) !== undefined;
}

/** The first bytes: a byte order mark, or a letter with the zero byte that UTF-16 gives it. */
const UTF_16 = /^(\xff\xfe|\xfe\xff|[^\0]\0|\0[^\0])/;

function utf16(name: string): CrawlError {
  return new CrawlError('BAD_INPUT', `expected UTF-8 in ${name}, found UTF-16`, {
    hint: 'save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8',
  });
}

/**
 * The lines of a stream of UTF-8, without their ends.
 * @throws CrawlError BAD_INPUT when it cannot be read, is UTF-16, or a line never ends
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array | string>, name: string): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let start = '';
  try {
    for await (const chunk of chunks) {
      if (start.length < 4) {
        start += Buffer.from(chunk.slice(0, 4)).toString('latin1');
        if (UTF_16.test(start)) throw utf16(name);
      }
      const text = rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }));
      const complete = text.split('\n');
      rest = complete.pop() ?? '';
      for (const line of complete) yield line.replace(/\r$/, '');
      if (rest.length > MAX_LINE) throw new CrawlError('BAD_INPUT', `expected lines in ${name}, found one without end`);
    }
  } catch (cause) {
    if (cause instanceof CrawlError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CrawlError('BAD_INPUT', `expected lines in ${name}, found: ${why}`, { cause });
  }
  rest += decoder.decode();
  if (rest !== '') yield rest.replace(/\r$/, '');
}
