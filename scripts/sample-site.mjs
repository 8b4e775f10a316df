// Serves the folder sample-site on loopback: pages, a robots.txt, a redirect, and a 404 for missing pages.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../sample-site/', import.meta.url));
const REDIRECTS = new Map([['/atlas.html', '/maps.html']]);
const TYPES = new Map([
  ['html', 'text/html; charset=utf-8'],
  ['txt', 'text/plain; charset=utf-8'],
]);

/**
 * Serves the site on a free port of 127.0.0.1.
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serveSampleSite() {
  const server = createServer((request, response) => {
    answer(new URL(request.url ?? '/', 'http://localhost').pathname, response).catch(() => response.destroy());
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(path, response) {
  const target = REDIRECTS.get(path);
  if (target !== undefined) return response.writeHead(301, { location: target }).end();
  const name = path === '/' ? 'index.html' : path.slice(1);
  // Only file names, no folders, so that no file outside of the site can be named.
  const extension = /^[\w-]+\.(html|txt)$/.exec(name)?.[1];
  const body = extension === undefined ? undefined : await readFile(FOLDER + name).catch(() => undefined);
  if (body === undefined) return response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
  response.writeHead(200, { 'content-type': TYPES.get(extension) }).end(body);
}
