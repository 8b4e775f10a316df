/** A folder of pages as a site on loopback, whose answers a test changes while it runs. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** An answer in place of the file. */
export interface ChangedAnswer {
  readonly status?: number;
  readonly location?: string;
  readonly html?: string;
}

export interface ChangingSite {
  /** `http://127.0.0.1:<port>/` */
  readonly url: string;
  /** The answers that differ from the files, by decoded path without the first slash. */
  readonly answers: Map<string, ChangedAnswer>;
  /** Number of requests so far, robots.txt included. */
  readonly requests: number;
  close(): Promise<void>;
}

/** One page in this number has an ETag, so that a crawl asks for these with a condition, and gets 304. */
const WITH_TAG = 2;

/**
 * Serves the HTML files of a folder.
 * @param paths the files that are there, below the folder
 */
export async function serveChanging(folder: string, paths: readonly string[]): Promise<ChangingSite> {
  const files = new Map(paths.map((path, i) => [path, i]));
  const answers = new Map<string, ChangedAnswer>();
  let requests = 0;

  async function answerTo(path: string): Promise<ChangedAnswer> {
    const changed = answers.get(path);
    if (changed) return changed;
    return files.has(path) ? { html: await readFile(join(folder, path), 'utf8') } : { status: 404 };
  }

  const server = createServer((request, response) => {
    requests++;
    const path = decodeURIComponent((request.url ?? '/').slice(1));
    answerTo(path)
      .then(({ status, location, html = '' }) => {
        const isTagged = status === undefined && location === undefined && (files.get(path) ?? 1) % WITH_TAG === 0;
        const etag = isTagged ? `"${createHash('sha1').update(html).digest('hex')}"` : undefined;
        const isSame = etag !== undefined && request.headers['if-none-match'] === etag;
        response.writeHead(isSame ? 304 : (status ?? (location === undefined ? 200 : 301)), {
          'content-type': path.endsWith('.xml')
            ? 'text/xml'
            : path.endsWith('.txt')
              ? 'text/plain'
              : 'text/html; charset=utf-8',
          ...(location !== undefined && { location }),
          ...(etag !== undefined && { etag }),
        });
        response.end(isSame ? undefined : html);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answers,
    get requests() {
      return requests;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
