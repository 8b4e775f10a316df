import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CrawlOptions, PageRow } from '../../packages/webcrawl/internal.js';
import type { Behaviour } from './behaviour.js';
import { CERTIFICATES } from './certificates.js';
import type { HostileWeb } from './server.js';

/** What a worker tells of its crawl; see worker.mjs. */
export interface Crawled {
  /** Of each crawl. */
  readonly counters: readonly Readonly<Record<string, number>>[];
  readonly repaired: Readonly<Record<string, number>>;
  readonly rows: readonly (PageRow<
    'status' | 'protocolStatus' | 'parseStatus' | 'title' | 'text' | 'headers' | 'outlinks' | 'pageMetadata' | 'retries'
  > & {
    readonly url: string;
    /** Why its host is left alone, where it was not asked for. */
    /** Why there was no answer. */
    readonly why?: string;
  })[];
  readonly polluted: readonly string[];
  /** The most memory that the process ever held. */
  readonly megabytes: number;
  /** Rejections and errors that nobody handled, and warnings. */
  readonly unhandled: readonly string[];
  /** How the process ended, once it was told that nothing is wanted any more. */
  readonly exit: string;
}

/** How to crawl. */
export interface RunOptions {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly options: Omit<CrawlOptions, 'seeds'>;
  readonly heapMegabytes: number;
  /** Crawls so many days from now, one after another. Default: once, today. */
  readonly days?: readonly number[];
}

/** How much garbage a process lets lie: versions of Node differ in it, up to 200 MB. */
const YOUNG = '--max-semi-space-size=8';
const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** The pages of a behaviour that are injected. */
export function seedsOf({ name, tls, port = 'plain', seeds = ['/'], good }: Behaviour, web: HostileWeb): string[] {
  return [...seeds, ...(good === null ? [] : ['/good'])].map((page) => {
    const [host, path] = page.startsWith('/') ? [`${name}.test`, page] : page.split(/(?=\/)/, 2);
    return `${tls ? 'https' : 'http'}://${host}:${web.ports[port]}${path}`;
  });
}

/**
 * Crawls behaviours to the end, in a process and with a table of its own, and waits until that process has ended by itself.
 */
export async function runCrawl(
  web: HostileWeb,
  behaviours: readonly Behaviour[],
  { heapMegabytes, ...rest }: RunOptions,
): Promise<Crawled> {
  const directory = await mkdtemp(join(tmpdir(), 'webcrawl-hostile-'));
  try {
    const authority = join(directory, 'ca.pem');
    await writeFile(authority, CERTIFICATES.ca);
    const child = spawn(process.execPath, [`--max-old-space-size=${heapMegabytes}`, YOUNG, WORKER], {
      env: { ...process.env, NODE_OPTIONS: '', NODE_EXTRA_CA_CERTS: authority },
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    let errors = '';
    child.stderr?.on('data', (data: Buffer) => (errors += data.toString()));
    const ended = new Promise<string>((resolve) =>
      child.on('close', (code, signal) => resolve(String(signal ?? code))),
    );
    const answered = new Promise<Omit<Crawled, 'exit'>>((resolve, reject) => {
      child.on('message', (message) => resolve(message as Omit<Crawled, 'exit'>));
      void ended.then((how) => reject(new Error(`the crawl ended with ${how}: ${errors}`)));
    });
    child.send({
      directory: join(directory, 'table'),
      ...rest,
      seeds: behaviours.flatMap((behaviour) => seedsOf(behaviour, web)),
      dns: Object.assign({}, ...behaviours.map(({ dns }) => dns)) as object,
    });
    const crawled = await answered;
    const patience = setTimeout(() => child.kill('SIGKILL'), 60_000);
    const exit = await ended;
    clearTimeout(patience);
    return { ...crawled, exit };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
