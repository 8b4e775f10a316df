import { createHash, randomUUID } from 'node:crypto';
import { CrawlError } from '../../errors/index.js';
import {
  type AppliedChanges,
  type IndexChange,
  type IndexDocument,
  type IndexEntry,
  type IndexWriter,
  hostOf,
} from '../../core/index.js';
import { termsOf } from '../documents/terms.js';
import { shownTitle } from '../documents/shown-title.js';
import { createTextSimhash } from '../documents/text-simhash.js';
import type { Words } from '../words/words.js';
import { responseReader } from './responses.js';
import { sendBulk, type Operation } from './bulk.js';
import { connect, type Connection, type OpenSearchLocation } from './connection.js';
import { refused, unexpectedResponse, type Reason } from './errors.js';
import { findIndex, writeMetadata } from './index-metadata.js';
import { indexBody, OPENSEARCH_FORMAT, type IndexMetadata, type StoredDocument } from './schema.js';

const LOOK_UPS_PER_REQUEST = 1000;
/** Maximum number of calls of `apply` between two openings. Each call gives its documents a greater version. */
const CALLS = 1e9;
const MAX_ID_BYTES = 512;

/**
 * Opens an index of OpenSearch for writing, and creates it if missing. An index with other words or of another format is rebuilt. In that
 * case `isWhole` is false. A document is replaced only by the same or a later version. So it does no harm if a request arrives twice, or
 * arrives late, after its process was killed.
 * @param table the id of the table whose pages are written
 * @throws CrawlError MISSING_PACKAGE, BAD_SETTING when the server refuses the user, or another program made the index, WRONG_INDEX for the
 * index of another table, STORE_FULL, STORE_FAILED
 */
export async function openOpenSearchWriter(
  place: OpenSearchLocation,
  table: string,
  words: Words,
): Promise<IndexWriter> {
  const connection = await connect(place);
  try {
    return writerOf(connection, await openIndex(connection, table, words), words);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function writerOf(connection: Connection, opened: IndexMetadata, words: Words): IndexWriter {
  let metadata = opened;
  let calls = 0;
  const simhashOf = createTextSimhash();

  function* operationsFor(
    changes: readonly IndexChange[],
    known: ReadonlyMap<string, IndexEntry>,
    applied: Counts,
  ): Generator<Operation> {
    calls += 1;
    const version = metadata.opened * CALLS + calls;
    for (const change of changes) {
      const key = keyOf(change);
      const before = known.get(key);
      const [name, operation] = operationOf(change, before) ?? [];
      if (!name || !operation) continue;
      applied[name] += 1;
      yield operation(version);
    }
  }

  function operationOf(
    change: IndexChange,
    before: IndexEntry | undefined,
  ): readonly [keyof AppliedChanges, (version: number) => Operation] | undefined {
    if (change.type === 'remove') return before && ['removed', (version) => removal(change.key, version)];
    if (change.type === 'put' && before?.fingerprint !== change.document.fingerprint)
      return [before ? 'changed' : 'added', (version) => put(change.document, version)];
    const { key, rank, fetchedAt } = change.type === 'put' ? change.document : change;
    if (!before || (before.rank === rank && before.fetchedAt === fetchedAt)) return undefined;
    return ['changed', () => touch(key, rank, fetchedAt)];
  }

  function put(document: IndexDocument, version: number): Operation {
    const { key, fetchedAt, modifiedAt, url } = document;
    const stored: StoredDocument = {
      ...document,
      fetchedAt: fetchedAt || null,
      modifiedAt: modifiedAt || null,
      host: hostOf(url),
      shownTitle: shownTitle(document.title),
      simhash: simhashOf(document.text),
      indexedAt: Date.now(),
      terms: termsOf(words, document),
    };
    return operation('index', key, { version, version_type: 'external_gte' }, stored);
  }

  return {
    id: opened.id,
    get isWhole() {
      return metadata.isWhole;
    },
    async markWhole() {
      const found = await findIndex(connection);
      // The metadata differ if another process has opened the index after this process.
      if (found?.id !== metadata.id || found.opened !== metadata.opened)
        throw refused(409, { reason: 'it was opened, or rebuilt, by another process' }, connection.name);
      metadata = await writeMetadata(connection, { ...found, isWhole: true });
    },
    async apply(changes) {
      const applied = { added: 0, changed: 0, removed: 0 };
      if (changes.length === 0) return applied;
      const known = await lookUp(connection, changes.map(keyOf));
      await sendBulk(connection, operationsFor(changes, known, applied));
      return applied;
    },
    async entries(after, limit) {
      // A search sees earlier writes only after a refresh.
      if (after === undefined) await connection.ask('POST', '/_refresh');
      return readEntries(connection, after ?? '', limit);
    },
    close: () => connection.close(),
  };
}

type Counts = { -readonly [Name in keyof AppliedChanges]: number };

const keyOf = (change: IndexChange): string => (change.type === 'put' ? change.document.key : change.key);

function removal(key: string, version: number): Operation {
  return operation('delete', key, { version, version_type: 'external_gte' });
}

function touch(key: string, rank: number, fetchedAt: number): Operation {
  return operation('update', key, { retry_on_conflict: 3 }, { doc: { rank, fetchedAt: fetchedAt || null } });
}

function operation(type: 'index' | 'update' | 'delete', key: string, more: object, body?: object): Operation {
  const id = idOf(key);
  const lines = `${JSON.stringify({ [type]: { _id: id, ...more } })}\n`;
  return { id, lines: body ? `${lines}${JSON.stringify(body)}\n` : lines };
}

/** Returns the key itself if it is short enough, else a hash of it. */
function idOf(key: string): string {
  if (Buffer.byteLength(key) <= MAX_ID_BYTES) return key;
  return `sha256:${createHash('sha256').update(key).digest('base64url')}`;
}

async function openIndex(connection: Connection, table: string, words: Words): Promise<IndexMetadata> {
  const found = await findIndex(connection);
  if (found && found.table !== table) {
    throw new CrawlError(
      'WRONG_INDEX',
      `expected the index of this table at ${connection.name}, found that of another table`,
      {
        hint: 'name another index as index.url; if that table no longer exists, delete this index on the server first',
      },
    );
  }
  if (found?.format === OPENSEARCH_FORMAT && found.words === words.name)
    return writeMetadata(connection, { ...found, id: found.id || randomUUID(), opened: found.opened + 1 });
  if (found) await connection.ask('DELETE', '');
  const opened = (found?.opened ?? 0) + 1;
  const metadata = {
    format: OPENSEARCH_FORMAT,
    id: randomUUID(),
    words: words.name,
    table,
    made: Date.now(),
    opened,
    isWhole: false,
  };
  await connection.ask('PUT', '', indexBody(metadata));
  return metadata;
}

interface FoundDocument {
  readonly _id?: unknown;
  readonly found?: boolean;
  readonly error?: Reason;
  readonly _source?: { readonly rank?: number; readonly fetchedAt?: number | null; readonly fingerprint?: string };
}

/** Returns the index entries of some keys, including entries that a search does not find yet. */
async function lookUp(connection: Connection, keys: readonly string[]): Promise<Map<string, IndexEntry>> {
  const known = new Map<string, IndexEntry>();
  for (let i = 0; i < keys.length; i += LOOK_UPS_PER_REQUEST) {
    const some = keys.slice(i, i + LOOK_UPS_PER_REQUEST);
    const path = '/_mget?_source_includes=rank,fetchedAt,fingerprint';
    const response = await connection.ask('POST', path, { ids: some.map(idOf) });
    const { docs } = response as { readonly docs?: readonly FoundDocument[] };
    if (!Array.isArray(docs) || docs.length !== some.length)
      throw unexpectedResponse(connection.name, `${some.length} documents`);
    for (const [at, key] of some.entries()) {
      const { _id, found, error, _source } = (docs[at] ?? {}) as FoundDocument;
      if (error) throw refused(404, error, connection.name);
      if (_id !== idOf(key)) throw unexpectedResponse(connection.name, `document ${at + 1} of ${some.length}`);
      if (found === true) known.set(key, entryOf(key, { ..._source }));
    }
  }
  return known;
}

function entryOf(
  key: string,
  { rank = 0, fetchedAt, fingerprint = '' }: NonNullable<FoundDocument['_source']>,
): IndexEntry {
  return { key, rank, fetchedAt: fetchedAt ?? 0, fingerprint };
}

async function readEntries(connection: Connection, after: string, limit: number): Promise<IndexEntry[]> {
  const response = await connection.ask('POST', '/_search?allow_partial_search_results=false', {
    size: limit,
    sort: [{ key: 'asc' }],
    search_after: [after],
    track_total_hits: false,
    _source: false,
    docvalue_fields: ['rank', 'fingerprint', { field: 'fetchedAt', format: 'epoch_millis' }],
  });
  const expected = 'documents in the order of their keys';
  const { at, list, number, text } = responseReader(connection.name, expected);
  let last = after;
  return list(at(response, 'hits', 'hits')).map((hit) => {
    const key = text(at(hit, 'sort', 0));
    // The keys must be in ascending order. Otherwise this loop could be endless.
    if (key <= last) throw unexpectedResponse(connection.name, expected);
    last = key;
    return {
      key,
      rank: number(at(hit, 'fields', 'rank', 0), 0),
      fetchedAt: number(at(hit, 'fields', 'fetchedAt', 0), 0),
      fingerprint: text(at(hit, 'fields', 'fingerprint', 0) ?? ''),
    };
  });
}
