import { createHash, randomUUID } from 'node:crypto';
import { CrawlError } from '../../errors/index.js';
import type { AppliedChanges, IndexChange, IndexDocument, IndexEntry, IndexWriter } from '../../plugin-api/index.js';
import { hostOf } from '../../url/index.js';
import { termsOf } from '../documents/terms.js';
import { createTextSimhash } from '../documents/text-simhash.js';
import type { Words } from '../words/words.js';
import { answerReader } from './answers.js';
import { sendBulk, type Operation } from './bulk.js';
import { connect, type Connection, type OpenSearchPlace } from './connection.js';
import { refused, unexpectedAnswer, type Reason } from './errors.js';
import { findIndex, writeNotes } from './notes.js';
import { indexBody, OPENSEARCH_FORMAT, type IndexNotes, type StoredDocument } from './schema.js';

/** Documents that are looked up in one request. */
const LOOKED_UP = 1000;
/** Calls of `apply` between two openings: what is written by a later call has the greater version. */
const CALLS = 1e9;
/** Bytes that an id of OpenSearch has at the most. */
const LONGEST_ID = 512;

/**
 * Opens an index of OpenSearch for writing; makes it where it is missing. One that other words or another format made is made anew:
 * `isWhole` is false then. A document is replaced only by a later version, so that a request that was sent twice, or arrives after its
 * process was killed, changes nothing.
 * @param table names the table whose pages are written
 * @throws CrawlError MISSING_PACKAGE, BAD_SETTING where the server refuses the user, or another program made the index, WRONG_INDEX where
 *   it is that of another table, STORE_FULL, STORE_FAILED
 */
export async function openOpenSearchWriter(
  place: OpenSearchPlace,
  table: string,
  words: Words,
  clock: () => number = Date.now,
): Promise<IndexWriter> {
  const connection = await connect(place);
  try {
    return writerOf(connection, await openIndex(connection, table, words, clock()), words, clock);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function writerOf(connection: Connection, opened: IndexNotes, words: Words, clock: () => number): IndexWriter {
  let notes = opened;
  let calls = 0;
  const simhashOf = createTextSimhash();

  function* operationsFor(
    changes: readonly IndexChange[],
    known: ReadonlyMap<string, IndexEntry>,
    applied: Counts,
  ): Generator<Operation> {
    calls += 1;
    const version = notes.opened * CALLS + calls;
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
    const { key, fetchedAt, modifiedTime, url } = document;
    const stored: StoredDocument = {
      ...document,
      fetchedAt: fetchedAt || null,
      modifiedTime: modifiedTime || null,
      host: hostOf(url),
      simhash: simhashOf(document.text),
      indexedAt: clock(),
      terms: termsOf(words, document),
    };
    return operation('index', key, { version, version_type: 'external_gte' }, stored);
  }

  return {
    id: opened.id,
    get isWhole() {
      return notes.isWhole;
    },
    async markWhole() {
      const found = await findIndex(connection);
      // By its notes another process, which opened it since, numbers what it writes.
      if (found?.id !== notes.id || found.opened !== notes.opened)
        throw refused(409, { reason: 'it was opened, or made anew, by another process' }, connection.name);
      notes = await writeNotes(connection, { ...found, isWhole: true });
    },
    async apply(changes) {
      const applied = { added: 0, changed: 0, removed: 0 };
      if (changes.length === 0) return applied;
      const known = await lookUp(connection, changes.map(keyOf));
      await sendBulk(connection, operationsFor(changes, known, applied));
      return applied;
    },
    async entries(after, limit) {
      // What was written before is seen by searches after a refresh only.
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

/** The key itself where it is short enough. */
export function idOf(key: string): string {
  if (Buffer.byteLength(key) <= LONGEST_ID) return key;
  return `sha256:${createHash('sha256').update(key).digest('base64url')}`;
}

/** The index, as it is to be written. @returns what it notes of itself from now on */
async function openIndex(connection: Connection, table: string, words: Words, now: number): Promise<IndexNotes> {
  const found = await findIndex(connection);
  if (found && found.table !== table) {
    throw new CrawlError(
      'WRONG_INDEX',
      `expected the index of this table at ${connection.name}, found that of another table`,
      {
        hint: 'name another index as index.url; where that table is no more, delete this one on the server first',
      },
    );
  }
  if (found?.format === OPENSEARCH_FORMAT && found.words === words.name)
    return writeNotes(connection, { ...found, id: found.id || randomUUID(), opened: found.opened + 1 });
  if (found) await connection.ask('DELETE', '');
  const opened = (found?.opened ?? 0) + 1;
  const notes = {
    format: OPENSEARCH_FORMAT,
    id: randomUUID(),
    words: words.name,
    table,
    made: now,
    opened,
    isWhole: false,
  };
  await connection.ask('PUT', '', indexBody(notes));
  return notes;
}

interface FoundDocument {
  readonly _id?: unknown;
  readonly found?: boolean;
  readonly error?: Reason;
  readonly _source?: { readonly rank?: number; readonly fetchedAt?: number | null; readonly fingerprint?: string };
}

/** What the index holds of some keys now, searched or not. */
async function lookUp(connection: Connection, keys: readonly string[]): Promise<Map<string, IndexEntry>> {
  const known = new Map<string, IndexEntry>();
  for (let i = 0; i < keys.length; i += LOOKED_UP) {
    const some = keys.slice(i, i + LOOKED_UP);
    const path = '/_mget?_source_includes=rank,fetchedAt,fingerprint';
    const answer = await connection.ask('POST', path, { ids: some.map(idOf) });
    const { docs } = answer as { readonly docs?: readonly FoundDocument[] };
    if (!Array.isArray(docs) || docs.length !== some.length)
      throw unexpectedAnswer(connection.name, `${some.length} documents`);
    for (const [at, key] of some.entries()) {
      const { _id, found, error, _source } = (docs[at] ?? {}) as FoundDocument;
      if (error) throw refused(404, error, connection.name);
      if (_id !== idOf(key)) throw unexpectedAnswer(connection.name, `document ${at + 1} of ${some.length}`);
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
  const answer = await connection.ask('POST', '/_search?allow_partial_search_results=false', {
    size: limit,
    sort: [{ key: 'asc' }],
    search_after: [after],
    track_total_hits: false,
    _source: false,
    docvalue_fields: ['rank', 'fingerprint', { field: 'fetchedAt', format: 'epoch_millis' }],
  });
  const expected = 'documents in the order of their keys';
  const { at, list, number, text } = answerReader(connection.name, expected);
  let last = after;
  return list(at(answer, 'hits', 'hits')).map((hit) => {
    const key = text(at(hit, 'sort', 0));
    // A step that goes back would never come to an end.
    if (key <= last) throw unexpectedAnswer(connection.name, expected);
    last = key;
    return {
      key,
      rank: number(at(hit, 'fields', 'rank', 0), 0),
      fetchedAt: number(at(hit, 'fields', 'fetchedAt', 0), 0),
      fingerprint: text(at(hit, 'fields', 'fingerprint', 0) ?? ''),
    };
  });
}
