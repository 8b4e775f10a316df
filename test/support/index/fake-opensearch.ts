import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as a server sees it. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Programmed misbehaviour: it answers the request, or returns false for the normal answer. */
export type Misbehave = (request: FakeRequest, response: ServerResponse) => boolean;

/** The parts of OpenSearch that a writer uses, in memory. */
export interface FakeOpenSearch {
  readonly url: string;
  readonly requests: FakeRequest[];
  /** Documents by index and id, with their versions. */
  readonly documents: Map<string, { version: number; source: Record<string, unknown> }>;
  mappings: Record<string, unknown> | undefined;
  misbehave: Misbehave | undefined;
  close(): Promise<void>;
}

/** Answers with JSON. */
export function answerJson(response: ServerResponse, status: number, body: unknown): true {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  return true;
}

const INDEX = 'pages';

/** Starts such a server on loopback, with at most one index, `pages`. */
export async function fakeOpenSearch(): Promise<FakeOpenSearch> {
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const fake: FakeOpenSearch = {
    url: `http://127.0.0.1:${port}/${INDEX}`,
    requests: [],
    documents: new Map(),
    mappings: undefined,
    misbehave: undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = { method: incoming.method ?? '', path: incoming.url ?? '', body: await text(incoming) };
    fake.requests.push(request);
    if (fake.misbehave?.(request, response)) return;
    const [status, body] = answer(fake, request);
    answerJson(response, status, body);
  }
  return fake;
}

const missing = { error: { type: 'index_not_found_exception', reason: `no such index [${INDEX}]` }, status: 404 };

function answer(fake: FakeOpenSearch, { method, path, body }: FakeRequest): [number, unknown] {
  const [route] = path.slice(`/${INDEX}`.length).split('?');
  if (method === 'PUT' && route === '') {
    fake.mappings = (JSON.parse(body) as { mappings: Record<string, unknown> }).mappings;
    return [200, { acknowledged: true }];
  }
  if (!fake.mappings) return [404, missing];
  if (method === 'DELETE') {
    fake.mappings = undefined;
    fake.documents.clear();
    return [200, { acknowledged: true }];
  }
  if (route === '/_mapping') {
    if (method === 'GET') return [200, { [INDEX]: { mappings: fake.mappings } }];
    Object.assign(fake.mappings, JSON.parse(body));
    return [200, { acknowledged: true }];
  }
  if (route === '/_refresh') return [200, {}];
  if (route === '/_mget') {
    const { ids } = JSON.parse(body) as { ids: string[] };
    const docs = ids.map((_id) => {
      const found = fake.documents.get(_id);
      return found ? { _id, found: true, _source: found.source } : { _id, found: false };
    });
    return [200, { docs }];
  }
  if (route === '/_bulk') return [200, { errors: false, items: bulk(fake, body) }];
  if (route === '/_search') return [200, { hits: { hits: entries(fake, body) } }];
  return [400, { error: { type: 'illegal_argument_exception', reason: `no ${method} ${path}` } }];
}

function bulk({ documents }: FakeOpenSearch, body: string): unknown[] {
  const lines = body.trimEnd().split('\n');
  const items: unknown[] = [];
  while (lines.length > 0) {
    const [type, { _id, version = 0 }] = Object.entries(
      JSON.parse(lines.shift()!) as Record<string, { _id: string; version?: number }>,
    )[0]!;
    const before = documents.get(_id);
    const source = type === 'delete' ? {} : (JSON.parse(lines.shift()!) as Record<string, unknown>);
    const outcome = (status: number, error?: string) =>
      items.push({ [type]: { _id, status, ...(error && { error: { type: error, reason: error } }) } });
    if (type === 'update') {
      if (before) Object.assign(before.source, source['doc']);
      outcome(before ? 200 : 404);
    } else if (before && before.version > version) outcome(409, 'version_conflict_engine_exception');
    else if (type === 'delete') outcome(documents.delete(_id) ? 200 : 404);
    else {
      documents.set(_id, { version, source });
      outcome(before ? 200 : 201);
    }
  }
  return items;
}

function entries({ documents }: FakeOpenSearch, body: string): unknown[] {
  const { search_after, size } = JSON.parse(body) as { search_after: [string]; size: number };
  return [...documents.values()]
    .map(({ source }) => source)
    .filter(({ key }) => String(key) > search_after[0])
    .sort((a, b) => (String(a['key']) < String(b['key']) ? -1 : 1))
    .slice(0, size)
    .map(({ key, rank, fetchedAt, fingerprint }) => ({
      sort: [key],
      fields: {
        rank: [rank],
        fingerprint: [fingerprint],
        ...(fetchedAt !== null && { fetchedAt: [`${fetchedAt as number}`] }),
      },
    }));
}
