import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CrawlOptions, PageRow } from '../../packages/webcrawl/index.js';
import type { Behaviour } from './behaviour.js';
import { CERTIFICATES } from './certificates.js';
import type { HostileWeb } from './server.js';

/** What a worker tells of its crawl; see worker.mjs. */
export interface Crawled {
  readonly counters: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly repaired: Readonly<Record<string, number>>;
  readonly rows: readonly (PageRow<
    'status' | 'protocolStatus' | 'parseStatus' | 'title' | 'text' | 'headers' | 'outlinks' | 'pageMetadata' | 'retries'
  > & { readonly url: string })[];
  readonly polluted: readonly string[];
  /** The most memory that the process ever held. */
  readonly megabytes: number;
  /** Rejections and errors that nobody handled, and warnings. */
  readonly unhandled: readonly string[];
  /** How the process ended, once it was told that nothing is wanted any more. */
  readonly exit: string;
}

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** The pages of a behaviour that are injected. */
export function seedsOf({ name, tls, port = 'plain', seeds = ['/'], good }: Behaviour, web: HostileWeb): string[] {
  const origin = `${tls ? 'https' : 'http'}://${name}.test:${web.ports[port]}`;
  return [...seeds, ...(good === null ? [] : ['/good'])].map((path) => origin + path);
}

/**
 * Crawls behaviours to the end, in a process with a heap of so many megabytes and a table of its own, and waits until that
 * process has ended by itself.
 */
export async function runCrawl(
  web: HostileWeb,
  behaviours: readonly Behaviour[],
  settings: Readonly<Record<string, unknown>>,
  options: Omit<CrawlOptions, 'seeds'>,
  heapMegabytes: number,
): Promise<Crawled> {
  const directory = await mkdtemp(join(tmpdir(), 'webcrawl-hostile-'));
  try {
    const authority = join(directory, 'ca.pem');
    await writeFile(authority, CERTIFICATES.ca);
    const child = spawn(process.execPath, [`--max-old-space-size=${heapMegabytes}`, WORKER], {
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
      settings,
      options: { ...options, seeds: behaviours.flatMap((behaviour) => seedsOf(behaviour, web)) },
      dns: Object.assign({}, ...behaviours.map(({ dns }) => dns)) as object,
    });
    const crawled = await answered;
    const patience = setTimeout(() => child.kill('SIGKILL'), 5_000);
    const exit = await ended;
    clearTimeout(patience);
    return { ...crawled, exit };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
