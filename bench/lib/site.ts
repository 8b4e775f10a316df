import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scaled, type BenchOptions } from './bench.js';
import { addressOf } from './made-up-site.js';
import { endProcess, findNginx, serveByNginx, type WebServer } from './nginx.js';
import type { ServerTask, Serving } from '../workers/site-server.js';

/** A site that is being served on loopback. */
export interface Site {
  readonly name: string;
  readonly seeds: readonly string[];
  readonly stay: 'host' | 'any';
  /** The program that serves it. */
  readonly server: string;
  /** How many pages can be reached, where it is known. */
  readonly pages?: number;
  /** How many requests the server has had. */
  requests(): Promise<number>;
  close(): Promise<void>;
}

const PEERS = fileURLToPath(new URL('../../../bench/.peers', import.meta.url));
/** The manuals, the smallest first: a smaller scale takes fewer. By the path on the site, the folder and the first page. */
const MANUALS = [
  ['debian-reference', 'debian-reference', 'index.en.html'],
  ['python', 'doc/python3.11/html', 'index.html'],
  ['postgresql', 'doc/postgresql-doc-15/html', 'index.html'],
  ['boost', 'doc/libboost1.74-doc/doc/html', 'index.html'],
] as const;
/** Each serves all manuals: one is crawled before a program that runs on an engine has warmed up. */
const MANUAL_HOSTS = 4;
const HOSTS = 2000;
const PAGES_PER_HOST = 10;

/**
 * Serves the manuals of some packages on four hosts, by nginx where it is installed; or a made-up site on 2,000 hosts. Each
 * host has an address of its own, as all of 127.0.0.0/8 is there on Linux; elsewhere the manuals have one host.
 * @throws Error when the manuals are not installed
 */
export async function startSite(options: BenchOptions): Promise<Site> {
  const { scale, site } = options;
  if (site === 'synthetic') {
    const hosts = scaled(HOSTS, scale, 10);
    return {
      ...(await serve({ hosts, pagesPerHost: PAGES_PER_HOST })),
      name: `a made-up site on ${hosts.toLocaleString('en-US')} hosts`,
      stay: 'any',
      server: 'Node',
      pages: hosts * PAGES_PER_HOST,
    };
  }
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-bench-'));
  try {
    const count = await linkManuals(folder, scaled(MANUALS.length, Math.min(1, scale)));
    const hosts = process.platform === 'linux' ? scaled(MANUAL_HOSTS, Math.min(1, scale)) : 1;
    const nginx = findNginx();
    const root = join(folder, 'site');
    const server = nginx
      ? await serveByNginx(nginx, {
          folder,
          root,
          addresses: Array.from({ length: hosts }, (_, host) => addressOf(host)),
        })
      : await serve({ folder: root, hosts });
    return {
      ...server,
      name: `the manuals of ${count} packages on ${hosts} hosts`,
      stay: 'host',
      server: nginx?.version ?? 'Node',
      async close() {
        await server.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Puts the manuals side by side, below a page that leads to each. */
async function linkManuals(folder: string, count: number): Promise<number> {
  const manuals = MANUALS.slice(0, count);
  await mkdir(join(folder, 'site'));
  for (const [path, place] of manuals) {
    const source = join(PEERS, 'manuals/usr/share', place);
    if (!existsSync(source)) throw new Error('the manuals are not there; bench/install.sh fetches them');
    await symlink(source, join(folder, 'site', path));
  }
  const links = manuals.map(([path, , page]) => `<li><a href="/${path}/${page}">${path}</a></li>`);
  await writeFile(join(folder, 'site/index.html'), `<!DOCTYPE html><title>Manuals</title><ul>${links.join('')}</ul>\n`);
  return manuals.length;
}

/** A server of our own, in its own process. */
async function serve(task: ServerTask): Promise<WebServer> {
  const module = fileURLToPath(new URL('../workers/site-server.js', import.meta.url));
  const child = spawn(process.execPath, [module, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    const { seeds, count } = JSON.parse(line) as Serving;
    return { seeds, requests: async () => Number(await (await fetch(count)).text()), close: () => endProcess(child) };
  }
  throw new Error('the server could not be started');
}
