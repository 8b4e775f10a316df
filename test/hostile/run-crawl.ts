import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CrawlOptions, PageRow } from '../../packages/webcrawl/internal.js';
import type { Behaviour } from './behaviour.js';
import { CERTIFICATES } from './certificates.js';
import type { HostileWeb } from './server.js';

/** The report of a worker about its crawl; see worker.mjs. */
export interface Crawled {
  /** One entry for each crawl. */
  readonly counters: readonly Readonly<Record<string, number>>[];
  readonly repaired: Readonly<Record<string, number>>;
  readonly rows: readonly (PageRow<
    'status' | 'protocolStatus' | 'parseStatus' | 'title' | 'text' | 'headers' | 'outlinks' | 'pageMetadata' | 'retries'
  > & {
    readonly url: string;
    /** Why there was no answer, or why the host has a back-off. */
    readonly why?: string;
  })[];
  readonly polluted: readonly string[];
  /** The peak memory of the process. */
  readonly megabytes: number;
  /** Unhandled rejections and errors, and warnings. */
  readonly unhandled: readonly string[];
  /** How the process ended after it was told that its work is done. */
  readonly exit: string;
}

export interface RunOptions {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly options: Omit<CrawlOptions, 'seeds'>;
  readonly heapMegabytes: number;
  /** The days of the crawls, as offsets from today. Default: one crawl, today. */
  readonly days?: readonly number[];
}

/** Limits the garbage that a process keeps: versions of Node differ by up to 200 MB. */
const YOUNG = '--max-semi-space-size=8';
const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** The URLs of the pages of a behaviour that are injected. */
export function seedsOf({ name, tls, port = 'plain', seeds = ['/'], good }: Behaviour, web: HostileWeb): string[] {
  return [...seeds, ...(good === null ? [] : ['/good'])].map((page) => {
    const [host, path] = page.startsWith('/') ? [`${name}.test`, page] : page.split(/(?=\/)/, 2);
    return `${tls ? 'https' : 'http'}://${host}:${web.ports[port]}${path}`;
  });
}

/** Crawls behaviours to the end, in its own process and table, and waits until that process has ended by itself. */
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
