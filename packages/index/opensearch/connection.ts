import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@opensearch-project/opensearch';
import { CrawlError, optionalPackage } from '../../errors/index.js';
import { tryParseUrl } from '../../url/index.js';
import { isObject } from './answers.js';
import { isTransient, reasonIn, refused, toCrawlError, unexpectedAnswer } from './errors.js';

/** An index of an OpenSearch server, and how patient one is with it. */
export interface OpenSearchPlace {
  /** `https://user:password@host:9200/name`: the last part of the path is the name of the index. */
  readonly url: string;
  /** How often a request is sent that the server cannot take now. Default: as often as `patienceMs` allows. */
  readonly tries?: number;
  /** Milliseconds from the first time that a request is sent until it has failed. Default: 180,000. */
  readonly patienceMs?: number;
  /** Milliseconds before the second time, doubled for each further one up to half a minute. Default: 500. */
  readonly wait?: number;
  /** Milliseconds that an answer may take. Default: 120,000: a server that works on a request for longer would do so twice. */
  readonly answerMs?: number;
}

/** A connection to one index. All methods throw CrawlError BAD_SETTING where the server refuses the user, STORE_FULL, STORE_FAILED. */
export interface Connection {
  /** The name of the index. */
  readonly index: string;
  /** Server and index without user and password, for people. */
  readonly name: string;
  /**
   * Sends a request, again and again while the server is busy or away, and resolves with the answer.
   * @param path behind the name of the index, such as `/_search`
   * @param body an object, or lines of NDJSON
   * @param patience where it is one of several requests that share theirs
   */
  ask(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object | string,
    patience?: Patience,
  ): Promise<unknown>;
  /** The same; undefined where the index, or what was asked for of it, is not there. */
  find(path: string): Promise<unknown>;
  /** Begins to be patient. */
  patience(): Patience;
  /** Ends what is under way: requests that have no answer yet are rejected with CrawlError STORE_FAILED. */
  close(): Promise<void>;
}

/** How long and how often something is tried yet. */
export interface Patience {
  /** Milliseconds that are left of the time. */
  readonly left: number;
  /**
   * Waits before something is sent once more, each time longer.
   * @throws CrawlError STORE_FAILED where that was often enough, or the time is over
   */
  pause(reason: string, cause?: unknown): Promise<void>;
}

const LONGEST_WAIT = 30_000;

/** Makes a connection; nothing is asked yet. @throws CrawlError MISSING_PACKAGE */
export async function connect({
  url,
  tries = Infinity,
  patienceMs = 180_000,
  wait = 500,
  answerMs = 120_000,
}: OpenSearchPlace): Promise<Connection> {
  const load = () => import('@opensearch-project/opensearch');
  const { Client } = await optionalPackage('@opensearch-project/opensearch', 'OpenSearch', load);
  const { node, index, username, password } = partsOf(url);
  const name = `${node.replace(/\/$/, '')}/${index}`;
  const client: Client = new Client({
    node,
    ...(username !== '' && { auth: { username, password } }),
    // Retries are ours: those of the client begin at once, and not for 429.
    maxRetries: 0,
    requestTimeout: answerMs,
    // What dies is asked again after a pause.
    resurrectStrategy: 'none',
  });

  /** Aborts when the connection is closed. */
  const closing = new AbortController();
  const underWay = new Set<{ abort(): unknown }>();

  function newPatience(): Patience {
    const until = performance.now() + patienceMs;
    let attempts = 0;
    return {
      get left() {
        return Math.max(0, until - performance.now());
      },
      async pause(reason, cause) {
        attempts += 1;
        const most = Math.min(wait * 2 ** (attempts - 1), LONGEST_WAIT);
        const length = most / 2 + (Math.random() * most) / 2;
        if (attempts < tries && length < this.left) return sleep(length, undefined, { signal: closing.signal });
        if (cause !== undefined) throw toCrawlError(cause, name);
        throw new CrawlError('STORE_FAILED', `${name} did not take a request in ${attempts} tries: ${reason}`, {
          hint: 'look after the server, then run the same command again: what was indexed stays, and the rest is added',
        });
      },
    };
  }

  async function send(
    method: string,
    path: string,
    body: object | string | undefined,
    patience: Patience,
  ): Promise<Answered> {
    const content = body === undefined ? {} : typeof body === 'string' ? { bulkBody: body } : { body };
    for (;;) {
      closing.signal.throwIfAborted();
      const request = client.transport.request(
        { method, path: `/${encodeURIComponent(index)}${path}`, ...content },
        { requestTimeout: Math.max(1, Math.min(answerMs, patience.left)) },
      );
      underWay.add(request);
      try {
        return await request;
      } catch (error) {
        if (!isTransient(error)) throw error;
        await patience.pause('', error);
      } finally {
        underWay.delete(request);
      }
    }
  }

  return {
    index,
    name,
    patience: newPatience,
    async ask(method, path, body, patience = newPatience()) {
      try {
        return checked(await send(method, path, body, patience), name);
      } catch (error) {
        throw toCrawlError(error, name);
      }
    },
    async find(path) {
      try {
        return (await send('GET', path, undefined, newPatience())).body;
      } catch (error) {
        if (error instanceof Error && (error as { readonly statusCode?: unknown }).statusCode === 404) return undefined;
        throw toCrawlError(error, name);
      }
    },
    close() {
      closing.abort();
      for (const request of underWay) request.abort();
      return client.close();
    },
  };
}

/** What the client resolves with, which follows no redirect. */
interface Answered {
  readonly statusCode: number | null;
  readonly body: unknown;
}

/** An answer as OpenSearch gives any. @throws CrawlError STORE_FAILED for a redirect, an error with status 200, or the page of a proxy */
function checked({ statusCode, body }: Answered, name: string): object {
  const status = statusCode ?? 0;
  const reason = isObject(body) ? reasonIn(body) : undefined;
  if (typeof reason?.type === 'string') throw refused(status, reason, name);
  if (status < 300 && isObject(body)) return body;
  throw unexpectedAnswer(name, status < 300 ? 'JSON' : `an answer, and no redirect (status ${status}),`);
}

interface Parts {
  /** The server, and the path before the name of the index. */
  readonly node: string;
  readonly index: string;
  readonly username: string;
  readonly password: string;
}

/** @throws CrawlError BAD_SETTING */
function partsOf(text: string): Parts {
  const url = tryParseUrl(text);
  const [, prefix = '', index = ''] = /^(.*?\/)([^/]+)\/?$/.exec(url?.pathname ?? '') ?? [];
  const decoded = [url?.username ?? '', url?.password ?? '', index].map(decode);
  const [username, password, name] = decoded;
  if (!url || !/^https?:$/.test(url.protocol) || !name || username === undefined || password === undefined) {
    throw new CrawlError('BAD_SETTING', 'expected the URL of an index of OpenSearch, found another text', {
      hint: 'for instance https://user:password@localhost:9200/pages; a % of the password is written %25, an @ %40, a / %2F',
    });
  }
  return { node: `${url.origin}${prefix}`, index: name, username, password };
}

/** Undefined where a % is none of an escape. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
