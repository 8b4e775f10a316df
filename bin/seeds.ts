import { createReadStream, statSync } from 'node:fs';
import { CrawlError } from '../packages/webcrawl/index.js';

/** Characters of a line after which it is no seed. */
const MAX_LINE = 1_000_000;

/**
 * Seed lines from arguments: an http(s) URL is itself a line, `-` is standard input, anything else a file of lines.
 * Files are looked for before the first line is read.
 *
 * @throws CrawlError BAD_INPUT naming the argument that is neither
 */
export function seedLines(args: readonly string[], stdin: AsyncIterable<Uint8Array | string>): AsyncIterable<string> {
  for (const arg of args) if (arg !== '-' && !isUrl(arg)) expectFile(arg);
  return readAll(args, stdin);
}

async function* readAll(args: readonly string[], stdin: AsyncIterable<Uint8Array | string>): AsyncIterable<string> {
  for (const arg of args) {
    if (isUrl(arg)) yield arg;
    else yield* lines(arg === '-' ? stdin : createReadStream(arg), arg === '-' ? 'standard input' : arg);
  }
}

function isUrl(arg: string): boolean {
  return /^https?:/i.test(arg) && URL.canParse(arg);
}

function expectFile(arg: string): void {
  let found: string;
  try {
    const stats = statSync(arg);
    if (stats.isFile() || stats.isFIFO() || stats.isCharacterDevice()) return;
    found = 'something that is no file';
  } catch (error) {
    found = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'nothing' : String(error);
  }
  const url = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/.*)?$/.test(arg) ? `https://${arg}` : undefined;
  throw new CrawlError('BAD_INPUT', `expected an http or https URL or a file of seeds at ${arg}, found ${found}`, {
    ...(url !== undefined && URL.canParse(url) ? { hint: `did you mean ${new URL(url).href} ?` } : {}),
  });
}

/** @throws CrawlError BAD_INPUT when it can not be read, or a line never ends */
async function* lines(chunks: AsyncIterable<Uint8Array | string>, name: string): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of chunks) {
      const text = rest + (typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }));
      const complete = text.split('\n');
      rest = complete.pop() ?? '';
      for (const line of complete) yield line.replace(/\r$/, '');
      if (rest.length > MAX_LINE) throw new CrawlError('BAD_INPUT', `expected lines in ${name}, found one without end`);
    }
  } catch (cause) {
    if (cause instanceof CrawlError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CrawlError('BAD_INPUT', `expected seeds in ${name}, found: ${why}`, { cause });
  }
  rest += decoder.decode();
  if (rest !== '') yield rest.replace(/\r$/, '');
}
