import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scaled, type BenchOptions } from './bench.js';
import { addressOf } from './made-up-site.js';
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

/** What a server is, once it serves. */
type Server = Pick<Site, 'seeds' | 'requests' | 'close'>;

const PEERS = fileURLToPath(new URL('../../../bench/.peers', import.meta.url));
const NGINX = join(PEERS, 'nginx/usr/sbin/nginx');
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
    const server = existsSync(NGINX)
      ? await serveByNginx(folder, hosts)
      : await serve({ folder: join(folder, 'site'), hosts });
    return {
      ...server,
      name: `the manuals of ${count} packages on ${hosts} hosts`,
      stay: 'host',
      server: existsSync(NGINX) ? nginxVersion() : 'Node',
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

async function serveByNginx(folder: string, hosts: number): Promise<Server> {
  const [port, countPort] = [await freePort(), await freePort()];
  const addresses = Array.from({ length: hosts }, (_, host) => addressOf(host));
  // Started by root, its workers would run as a user who may not read the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const config = `
    ${user}
    worker_processes 2; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 2048; }
    http {
      access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000; open_file_cache max=20000;
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      types { text/html html htm; text/plain txt; text/css css; text/javascript js; image/png png; image/svg+xml svg; application/pdf pdf; }
      default_type text/plain;
      server { ${addresses.map((address) => `listen ${address}:${port};`).join(' ')} root ${folder}/site; charset utf-8; }
      server { listen 127.0.0.1:${countPort}; location / { stub_status; } }
    }`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const args = ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
  const child = spawn(NGINX, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  process.once('exit', () => child.kill());
  let asked = 0;
  const requests = async (): Promise<number> => {
    asked += 1;
    const status = await (await fetch(`http://127.0.0.1:${countPort}/`)).text();
    // Accepted, handled, requests; it counts those for this number, too.
    return Number(/^ \d+ \d+ (\d+)/m.exec(status)?.[1] ?? NaN) - asked;
  };
  for (let tries = 0; ; tries++) {
    const isUp = await requests().then(
      () => true,
      () => false,
    );
    if (isUp) break;
    asked = 0;
    if (child.exitCode !== null || tries === 100) {
      child.kill();
      throw new Error(`nginx does not serve on port ${countPort}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { seeds: addresses.map((address) => `http://${address}:${port}/`), requests, close: () => end(child) };
}

function nginxVersion(): string {
  return /nginx\/[\d.]+/.exec(spawnSync(NGINX, ['-v'], { encoding: 'utf8' }).stderr)?.[0] ?? 'nginx';
}

/** A server of our own, in its own process. */
async function serve(task: ServerTask): Promise<Server> {
  const module = fileURLToPath(new URL('../workers/site-server.js', import.meta.url));
  const child = spawn(process.execPath, [module, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    const { seeds, count } = JSON.parse(line) as Serving;
    return { seeds, requests: async () => Number(await (await fetch(count)).text()), close: () => end(child) };
  }
  throw new Error('the server could not be started');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
