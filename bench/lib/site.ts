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
import type { ServerTask, Serving } from '../workers/site-server.js';

/** A site that is being served on loopback. */
export interface Site {
  readonly name: string;
  readonly seed: string;
  readonly stay: 'host' | 'any';
  /** The program that serves it. */
  readonly server: string;
  /** How many pages can be reached, where it is known. */
  readonly pages?: number;
  close(): Promise<void>;
}

const PEERS = fileURLToPath(new URL('../../../bench/.peers', import.meta.url));
const NGINX = join(PEERS, 'nginx/usr/sbin/nginx');
/** The manuals, the smallest first: a smaller scale takes fewer. By the path on the site, the folder and the first page. */
const MANUALS = [
  ['debian-reference', 'debian-reference', 'index.en.html'],
  ['python', 'doc/python3.11/html', 'index.html'],
  ['postgresql', 'doc/postgresql-doc-15/html', 'index.html'],
  ['boost', 'doc/libboost1.74-doc/doc/html', 'index.html'],
] as const;
const HOSTS = 2000;
const PAGES_PER_HOST = 10;

/**
 * Serves the manuals of some packages on one host, by nginx where it is installed; or a made-up site on 2,000 hosts, each
 * with an address of its own.
 * @throws Error when the manuals are not installed
 */
export async function startSite(options: BenchOptions): Promise<Site> {
  const { scale, site } = options;
  if (site === 'synthetic') {
    const hosts = scaled(HOSTS, scale, 10);
    const { seed, close } = await serve({ hosts, pagesPerHost: PAGES_PER_HOST });
    const pages = hosts * PAGES_PER_HOST;
    return {
      name: `a made-up site on ${hosts.toLocaleString('en-US')} hosts`,
      seed,
      stay: 'any',
      server: 'Node',
      pages,
      close,
    };
  }
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-bench-'));
  try {
    const count = await linkManuals(folder, scaled(MANUALS.length, Math.min(1, scale)));
    const { seed, close } = existsSync(NGINX)
      ? await serveByNginx(folder)
      : await serve({ folder: join(folder, 'site') });
    return {
      name: `the manuals of ${count} packages`,
      seed,
      stay: 'host',
      server: existsSync(NGINX) ? nginxVersion() : 'Node',
      async close() {
        await close();
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

async function serveByNginx(folder: string): Promise<{ seed: string; close: () => Promise<void> }> {
  const port = await freePort();
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
      server { listen 127.0.0.1:${port}; root ${folder}/site; charset utf-8; }
    }`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const args = ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
  const child = spawn(NGINX, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  process.once('exit', () => child.kill());
  const seed = `http://127.0.0.1:${port}/`;
  for (let tries = 0; ; tries++) {
    const isUp = await fetch(seed).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    if (child.exitCode !== null || tries === 100) {
      child.kill();
      throw new Error(`nginx does not serve ${seed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { seed, close: () => end(child) };
}

function nginxVersion(): string {
  return /nginx\/[\d.]+/.exec(spawnSync(NGINX, ['-v'], { encoding: 'utf8' }).stderr)?.[0] ?? 'nginx';
}

/** A server of our own, in its own process. */
async function serve(task: ServerTask): Promise<{ seed: string; close: () => Promise<void> }> {
  const module = fileURLToPath(new URL('../workers/site-server.js', import.meta.url));
  const child = spawn(process.execPath, [module, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    return { seed: (JSON.parse(line) as Serving).seed, close: () => end(child) };
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
