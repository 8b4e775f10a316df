/** A folder of pages as a site on loopback, whose answers a test changes while it runs. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FakePage } from './fake-web.js';
import { serveWeb } from './serve-web.js';

/** An answer in place of the file. */
export type ChangedAnswer = Pick<FakePage, 'status' | 'location' | 'html'>;

export interface ChangingSite {
  /** `http://127.0.0.1:<port>/` */
  readonly url: string;
  /** The answers that differ from the files, by decoded path without the first slash. */
  readonly answers: Map<string, ChangedAnswer>;
  /** Number of requests so far, robots.txt excluded. */
  readonly requests: number;
  close(): Promise<void>;
}

/** One page in this number has an ETag, so that a crawl asks for these with a condition, and gets 304. */
const WITH_TAG = 2;
const TYPES: readonly (readonly [ending: string, type: string])[] = [
  ['.xml', 'text/xml'],
  ['.txt', 'text/plain'],
  ['', 'text/html; charset=utf-8'],
];

/**
 * Serves the HTML files of a folder.
 * @param paths the files that are there, below the folder
 */
export async function serveChanging(folder: string, paths: readonly string[]): Promise<ChangingSite> {
  const files = new Map(paths.map((path, i) => [path, i]));
  const answers = new Map<string, ChangedAnswer>();
  const { origin, requests, close } = await serveWeb(async (requested): Promise<FakePage | undefined> => {
    const path = decodeURIComponent(requested.slice(1));
    const number = files.get(path);
    const changed = answers.get(path);
    if (!changed && number === undefined) return undefined;
    const answer = changed ?? { html: await readFile(join(folder, path), 'utf8') };
    const isTagged = answer.status === undefined && answer.location === undefined && (number ?? 1) % WITH_TAG === 0;
    const etag =
      isTagged &&
      `"${createHash('sha1')
        .update(answer.html ?? '')
        .digest('hex')}"`;
    const contentType = TYPES.find(([ending]) => path.endsWith(ending))![1];
    return { ...answer, contentType, ...(etag && { headers: { etag } }) };
  });
  return {
    url: `${origin}/`,
    answers,
    get requests() {
      return requests.length;
    },
    close,
  };
}
