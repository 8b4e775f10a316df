import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** One line of the access log. */
export interface Request {
  /** Path and query as sent. */
  readonly path: string;
  /** Status of the answer. */
  readonly status: number;
  readonly contentType: string;
}

export interface DocServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** The requests since the last call, in order. */
  takeRequests(): Request[];
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly location?: string;
  /** The body, if it is not a file. */
  readonly html?: string;
  readonly file?: string;
}

const HTML = 'text/html; charset=utf-8';
const PLAIN = 'text/plain; charset=utf-8';
const NOT_FOUND: Answer = { status: 404, contentType: HTML, html: '<!DOCTYPE html><title>Not found</title>' };

const TYPES: Readonly<Record<string, string>> = {
  '.html': HTML,
  '.xhtml': 'application/xhtml+xml',
  '.xml': 'text/xml',
  '.pdf': 'application/pdf',
  '.json': 'application/json',
  '.css': 'text/css',
  '.js': 'text/javascript',
};

/**
 * Serves a folder on a free port of loopback like common web servers: for a folder `index.html` or else a list of its files,
 * 301 to the path with a slash for a folder without one, 404 for a missing file. Lists have no slash after folders, and no
 * symbolic links, so that nothing has two URLs. There is no robots.txt unless the folder has one.
 */
export async function serveDocs(folder: string): Promise<DocServer> {
  let requests: Request[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    answer(folder, path)
      .then(async ({ status, contentType, location, html, file }) => {
        requests.push({ path, status, contentType });
        response.writeHead(status, { 'content-type': contentType, ...(location !== undefined && { location }) });
        if (file === undefined) response.end(html);
        else await pipeline(createReadStream(file), response);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeRequests() {
      const taken = requests;
      requests = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(root: string, target: string): Promise<Answer> {
  const { pathname } = new URL(target, 'http://localhost');
  const path = unescapePath(pathname);
  // The URL parser has removed every `..` except escaped ones.
  if (path === undefined || path.split('/').includes('..')) return NOT_FOUND;
  const file = join(root, path);
  const stats = await stat(file).catch(() => undefined);
  if (!stats || (!stats.isDirectory() && path.endsWith('/'))) return NOT_FOUND;
  if (!stats.isDirectory()) return { status: 200, contentType: TYPES[extname(file)] ?? PLAIN, file };
  if (!path.endsWith('/')) return { status: 301, contentType: HTML, location: `${pathname}/`, html: '' };
  const index = join(file, 'index.html');
  const hasIndex = await stat(index).then(
    () => true,
    () => false,
  );
  return { status: 200, contentType: HTML, ...(hasIndex ? { file: index } : { html: await listing(file) }) };
}

function unescapePath(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}

async function listing(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() || entry.isDirectory()).map(({ name }) => name);
  const links = ['..', ...names.map(encodeURIComponent).sort()].map((name) => `<li><a href="${name}">${name}</a>`);
  return `<!DOCTYPE html><title>Files</title><ul>${links.join('\n')}</ul>\n`;
}
