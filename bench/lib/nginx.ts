import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PEERS } from './folders.js';
import { freePorts } from './free-ports.js';

export interface WebServer {
  readonly seeds: readonly string[];
  requests(): Promise<number>;
  close(): Promise<void>;
}

const PATHS = [join(PEERS, 'nginx/usr/sbin/nginx'), '/usr/sbin/nginx'];

/** The nginx that `bench/install.sh` has unpacked, else that of the system. Undefined: there is none. */
export function findNginx() {
  for (const path of PATHS) {
    const version = /nginx\/[\d.]+/.exec(spawnSync(path, ['-v'], { encoding: 'utf8' }).stderr ?? '')?.[0];
    if (version !== undefined) return { path, version };
  }
  return undefined;
}

/**
 * Serves a new folder by nginx on a free port of some addresses, until it is closed.
 * @param fill writes the first files
 * @param isByAddress each address has a folder of its own, named by the address
 */
export async function serveFolder(
  fill: (root: string) => Promise<unknown>,
  addresses: readonly string[] = ['127.0.0.1'],
  isByAddress = false,
): Promise<WebServer & { readonly root: string; readonly server: string }> {
  const nginx = findNginx();
  if (!nginx) throw new Error('expected nginx: bench/install.sh nginx fetches it, and so does apt-get install nginx');
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-site-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const root = join(folder, 'site');
  try {
    await mkdir(root);
    await fill(root);
    const served = await startNginx(nginx.path, folder, isByAddress ? join(root, '$server_addr') : root, addresses);
    return {
      ...served,
      root,
      server: nginx.version,
      async close() {
        await served.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function startNginx(
  path: string,
  folder: string,
  root: string,
  addresses: readonly string[],
): Promise<WebServer> {
  const [port = 0, countPort = 0] = await freePorts(2);
  // If root starts it, its workers would run as a user who may not read the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const config = `
    ${user}
    worker_processes 2; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 2048; }
    http {
      access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000; open_file_cache max=5000;
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      types { text/html html htm; text/plain txt; text/xml xml; text/css css; text/javascript js; image/png png; image/svg+xml svg; application/pdf pdf; }
      default_type text/plain;
      server { ${addresses.map((address) => `listen ${address}:${port};`).join(' ')} root ${root}; charset utf-8; }
      server { listen 127.0.0.1:${countPort}; location / { stub_status; } }
    }`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const args = ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
  const child = spawn(path, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  process.once('exit', () => child.kill());
  let asked = 0;
  const requests = async (): Promise<number> => {
    asked += 1;
    const status = await (await fetch(`http://127.0.0.1:${countPort}/`)).text();
    // Accepted, handled, requests. The requests for this number are counted too, so they are subtracted.
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
  return { seeds: addresses.map((address) => `http://${address}:${port}/`), requests, close: () => endProcess(child) };
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
