import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scaled, type BenchOptions, type SiteName } from './bench.js';
import { PEERS } from './folders.js';
import { addressOf, SHAPES, writeMadeUpSite, type MadeUpName } from './made-up-site.js';
import { endProcess, findNginx, serveFolder, type WebServer } from './nginx.js';
import type { ServerTask, Serving } from '../workers/site-server.js';

/** The sites that {@link withSite} can serve; the first is the default. */
export const SITES: readonly SiteName[] = ['docs', 'docs-one-host', 'synthetic', 'link-heavy', 'small-pages'];

export interface Site extends WebServer {
  readonly name: string;
  readonly stay: 'host' | 'any';
  readonly server: string;
  readonly pages?: number;
}

/** The manuals, the smallest first: a smaller scale uses fewer. Path on the site, folder and first page. */
const MANUALS = [
  ['debian-reference', 'debian-reference', 'index.en.html'],
  ['python', 'doc/python3.11/html', 'index.html'],
  ['postgresql', 'doc/postgresql-doc-15/html', 'index.html'],
  ['boost', 'doc/libboost1.74-doc/doc/html', 'index.html'],
] as const;
/** Each host serves all manuals: crawling a single one takes less time than a JavaScript engine needs to warm up. */
const MANUAL_HOSTS = 4;
const NAMES: Readonly<Record<MadeUpName, string>> = {
  synthetic: 'made-up pages',
  'link-heavy': 'made-up pages with 150 links',
  'small-pages': 'made-up pages of 1 KB',
};
const MADE_UP: Readonly<Record<MadeUpName, readonly [number, number]>> = {
  synthetic: [2000, 10],
  'link-heavy': [4, 5000],
  'small-pages': [4, 5000],
};

/**
 * Serves a site during a task. Each host has an address of its own, since Linux has all of 127.0.0.0/8. Files are served by nginx, which takes little CPU.
 * - `docs`: the manuals of some packages on four hosts; on one where the system has only one loopback address
 * - `docs-one-host`: the same on one host: a crawl of a quarter of the pages, which is mostly a cold start
 * - `synthetic`: 2,000 hosts with links to one another; its pages are made on request, since they contain the port
 * - others: made-up pages on four hosts, by nginx if it is installed
 */
export async function withSite<T>(
  { scale, site: name, say }: Pick<BenchOptions, 'scale' | 'site' | 'say'>,
  task: (site: Site) => Promise<T>,
): Promise<T> {
  const site = await startSite(name, scale);
  say(`${site.name}, served by ${site.server}`);
  try {
    return await task(site);
  } finally {
    await site.close();
  }
}

function startSite(name: SiteName, scale: number): Promise<Site> {
  if (name === 'docs') return startManuals(scale, process.platform === 'linux' ? MANUAL_HOSTS : 1);
  return name === 'docs-one-host' ? startManuals(scale, 1) : startMadeUp(name, scale);
}

async function startManuals(scale: number, hostsAtFull: number): Promise<Site> {
  const hosts = scaled(hostsAtFull, Math.min(1, scale));
  const manuals = MANUALS.slice(0, scaled(MANUALS.length, Math.min(1, scale)));
  const served = await serveFolder((root) => linkManuals(root, manuals), addressesOf(hosts));
  const name = `the manuals of ${manuals.length} packages on ${hosts === 1 ? 'one host' : `${hosts} hosts`}`;
  return { ...served, name, stay: 'host' };
}

const addressesOf = (hosts: number): string[] => Array.from({ length: hosts }, (_, host) => addressOf(host));

async function startMadeUp(madeUp: MadeUpName, scale: number): Promise<Site> {
  const shape = SHAPES[madeUp];
  const staysOnHost = shape.ownEvery === 1;
  const [hostsAtFull, pagesAtFull] = MADE_UP[madeUp];
  // A smaller scale reduces the number of hosts if there are many, else the number of pages.
  const hosts = staysOnHost ? (process.platform === 'linux' ? hostsAtFull : 1) : scaled(hostsAtFull, scale, 10);
  const pagesPerHost = staysOnHost ? scaled(pagesAtFull, scale, 10) : pagesAtFull;
  const named = {
    name: `${NAMES[madeUp]}, ${(hosts * pagesPerHost).toLocaleString('en-US')} on ${hosts.toLocaleString('en-US')} hosts`,
    pages: hosts * pagesPerHost,
  };
  if (staysOnHost && findNginx()) {
    const fill = (root: string): Promise<void> => writeMadeUpSite(root, { shape, hosts, pagesPerHost });
    return { ...(await serveFolder(fill, addressesOf(hosts), true)), ...named, stay: 'host' };
  }
  const { seeds, ...server } = await serve({ madeUp, hosts, pagesPerHost });
  const [stay, first] = staysOnHost ? (['host', seeds] as const) : (['any', seeds.slice(0, 1)] as const);
  return { ...server, ...named, seeds: first, stay, server: 'Node' };
}

async function linkManuals(root: string, manuals: readonly (typeof MANUALS)[number][]): Promise<void> {
  for (const [path, folder] of manuals) {
    const source = join(PEERS, 'manuals/usr/share', folder);
    if (!existsSync(source)) throw new Error('the manuals are not there; bench/install.sh fetches them');
    await symlink(source, join(root, path));
  }
  const links = manuals.map(([path, , page]) => `<li><a href="/${path}/${page}">${path}</a></li>`);
  await writeFile(join(root, 'index.html'), `<!DOCTYPE html><title>Manuals</title><ul>${links.join('')}</ul>\n`);
}

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
