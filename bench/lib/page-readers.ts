import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openContext, pageDump, rowKeyOf } from '../../packages/webcrawl/internal.js';
import { BENCH, PEERS } from './folders.js';

/** What is found in a page, empty for nothing, and the CPU time in ms. */
export type PageReader = (page: {
  readonly url: string;
  readonly html: Buffer;
}) => Promise<{ readonly text: string; readonly cpuMs: number }>;

interface Program {
  readonly needs: readonly string[];
  readonly open: () => Promise<PageReader>;
}

const MODULES = join(PEERS, 'extractors/node_modules');
const READABILITY = join(MODULES, '@mozilla/readability/index.js');
const LINKEDOM = join(MODULES, 'linkedom/esm/index.js');
const DEFUDDLE = join(MODULES, 'defuddle/dist/node.js');
const TRAFILATURA = join(PEERS, 'trafilatura/bin/python');
const HTMLDATE = join(PEERS, 'htmldate/bin/python');

export const EXTRACTORS: Readonly<Record<string, Program>> = {
  webcrawl: { needs: [], open: () => field('markdown') },
  readability: { needs: [READABILITY, LINKEDOM], open: readability },
  defuddle: { needs: [DEFUDDLE, LINKEDOM], open: defuddle },
  trafilatura: { needs: [TRAFILATURA], open: () => python(TRAFILATURA, 'trafilatura/extract.py') },
};

/** Finders of the day of publication. htmldate does not get the URL. */
export const DATE_FINDERS: Readonly<Record<string, Program>> = {
  webcrawl: { needs: [], open: () => field('publishedDay') },
  htmldate: { needs: [HTMLDATE], open: () => python(HTMLDATE, 'htmldate/find.py') },
  'htmldate-fast': { needs: [HTMLDATE], open: () => python(HTMLDATE, 'htmldate/find.py', '--fast') },
};

export function isInstalled({ needs }: Program): boolean {
  return needs.every((path) => existsSync(path));
}

/** Opens a program, and reads some pages with it, so that its code is compiled before it is measured. */
export async function openReader({ open }: Program, pages: Iterable<Parameters<PageReader>[0]>): Promise<PageReader> {
  const read = await open();
  for (const page of pages) await read(page);
  return read;
}

/** Measures a program that runs in this process. */
function measured(read: (html: Buffer, url: string) => unknown): PageReader {
  return async ({ html, url }) => {
    const before = process.cpuUsage();
    let text: unknown;
    try {
      text = await read(html, url);
    } catch {
      // Such a page counts as one in which nothing was found.
    }
    const { user, system } = process.cpuUsage(before);
    return { text: typeof text === 'string' ? text : '', cpuMs: (user + system) / 1000 };
  };
}

async function field(name: 'markdown' | 'publishedDay'): Promise<PageReader> {
  const crawl = await openContext({ table: 'memory:' });
  const { dump } = await pageDump(crawl.settings, [name]);
  // One page of the sets has a letter before its URL.
  const keyOf = (url: string): string => rowKeyOf(url.replace(/^[^:]*(https?:)/, '$1'));
  return measured((content, url) => dump({ key: keyOf(url), content, contentType: 'text/html' })[name]);
}

async function readability(): Promise<PageReader> {
  const { Readability } = (await import(READABILITY)) as {
    Readability: new (document: object) => { parse: () => { content?: string } | null };
  };
  const { parseHTML } = await linkedom();
  return measured((html) => {
    const { document } = parseHTML(html.toString());
    return textOf(parseHTML, new Readability(document).parse()?.content);
  });
}

async function defuddle(): Promise<PageReader> {
  const { Defuddle } = (await import(DEFUDDLE)) as {
    Defuddle: (document: object, url: string, options: object) => Promise<{ content?: string }>;
  };
  const { parseHTML } = await linkedom();
  return measured(async (html, url) => {
    const { content } = await Defuddle(parseHTML(html.toString()).document, url, { useAsync: false });
    return textOf(parseHTML, content);
  });
}

type ParseHtml = (html: string) => { document: { body: { textContent: string } } };

async function linkedom(): Promise<{ parseHTML: ParseHtml }> {
  return (await import(LINKEDOM)) as Awaited<ReturnType<typeof linkedom>>;
}

function textOf(parseHTML: ParseHtml, html = ''): string {
  const parted = html.replace(/<\/(p|div|li|h\d|td|tr|blockquote)>|<br\b/g, '\n$&');
  // Without `html` around it, linkedom returns another, empty body.
  return parseHTML(`<html><body>${parted}</body></html>`).document.body.textContent;
}

/** A Python process that reads a page from each line, and writes a line for it. */
async function python(path: string, script: string, ...args: readonly string[]): Promise<PageReader> {
  const child = spawn(path, [join(BENCH, 'peers', script), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'close').then(([code]) => {
    throw new Error(`${script} ended with ${code}`);
  });
  return async ({ html }) => {
    const written = once(lines, 'line');
    child.stdin.write(`${html.toString('base64')}\n`);
    const [line] = (await Promise.race([written, ended])) as [string];
    return JSON.parse(line) as Awaited<ReturnType<PageReader>>;
  };
}
