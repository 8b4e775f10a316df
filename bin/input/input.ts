import { constants, createReadStream, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { CrawlError, tryParseUrl } from '../../packages/webcrawl/names.js';
import type { Io } from '../io.js';

const MAX_LINE_CHARACTERS = 1_000_000;

/**
 * Yields the URLs of the arguments, and for `-` the URLs of lines of standard input. In a line, a URL ends at the first tab. Empty lines
 * and comments (`#`) are skipped, so a file of seeds can be read too.
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
 * Yields the bytes of a file. A named pipe is opened without waiting for a writer, because a thread that waits for a writer cannot be
 * ended, and would keep the process alive.
 * @throws the errors of the file system, also during the read
 */
export function readFileBytes(path: string): Io['stdin'] {
  if (!statSync(path, { throwIfNoEntry: false })?.isFIFO()) return createReadStream(path);
  return new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });
}

/**
 * Returns the first bytes of a file, or of standard input for `-`.
 * @param limit maximum number of bytes; a negative number means no limit
 * @throws CrawlError BAD_INPUT when the file cannot be read; the reason of the signal
 */
export async function readBytes(
  source: string,
  { stdin, signal }: Pick<Io, 'stdin' | 'signal'>,
  limit: number,
): Promise<{ readonly bytes: Uint8Array; readonly truncated: boolean }> {
  const most = limit < 0 ? Infinity : limit;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of endedBy(signal, source === '-' ? stdin : readFileBytes(source))) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      chunks.push(bytes);
      size += bytes.length;
      if (size > most) break;
    }
  } catch (cause) {
    signal.throwIfAborted();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CrawlError('BAD_INPUT', `cannot read ${source === '-' ? 'standard input' : source}: ${why}`, { cause });
  }
  const bytes = Buffer.concat(chunks);
  return { bytes: bytes.subarray(0, Math.min(size, most)), truncated: size > most };
}

async function* endedBy(signal: AbortSignal, chunks: Io['stdin']): AsyncGenerator<Uint8Array | string> {
  const end = (): void => {
    if (chunks instanceof Readable) chunks.destroy(signal.reason as Error);
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', end);
  try {
    yield* chunks;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Whether an argument is an http(s) URL. Otherwise it is the name of a file. */
export function isUrl(arg: string): boolean {
  return /^https?:/i.test(arg) && tryParseUrl(arg) !== undefined;
}

/** Matches the first bytes of UTF-16: a byte order mark, or a letter with a zero byte before or after it. */
const UTF_16 = /^(\xff\xfe|\xfe\xff|[^\0]\0|\0[^\0])/;

function utf16(name: string): CrawlError {
  return new CrawlError('BAD_INPUT', `${name} is in UTF-16, not in UTF-8`, {
    hint: 'save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8',
  });
}

/**
 * Yields the lines of a stream of UTF-8, without their line breaks.
 * @throws CrawlError BAD_INPUT when the stream cannot be read, is UTF-16, or has a line that is too long
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
      if (rest.length > MAX_LINE_CHARACTERS)
        throw new CrawlError('BAD_INPUT', `${name} has a line of more than ${MAX_LINE_CHARACTERS} characters`);
    }
  } catch (cause) {
    if (cause instanceof CrawlError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CrawlError('BAD_INPUT', `cannot read ${name}: ${why}`, { cause });
  }
  rest += decoder.decode();
  if (rest !== '') yield rest.replace(/\r$/, '');
}
