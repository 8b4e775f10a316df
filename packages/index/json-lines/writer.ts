import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CrawlError, messageOf } from '../../errors/index.js';
import type { AppliedChanges, IndexChange, IndexDocument, IndexEntry, IndexWriter } from '../../plugin-api/index.js';
import {
  changesFile,
  DOCUMENTS_FILE,
  generationsIn,
  readNotes,
  syncFolder,
  writeAll,
  writeNotes,
  writeWhole,
  type Notes,
} from './files.js';
import { lineAt, lineFrom, linesOf } from './lines.js';

/** When the changes are merged before the whole table was compared: what they take in memory and on disk must not grow for ever. */
export interface MergeAt {
  /** Keys that changes are of; each takes some hundred bytes of memory. */
  readonly keys: number;
  /** Bytes of the file of changes, and more of them than of documents. */
  readonly bytes: number;
}

const MERGE_AT: MergeAt = { keys: 1_000_000, bytes: 1 << 28 };

/** Changes with what a line holds: an index of another is made anew. */
const FORMAT = '1';
/** A line of the file of changes. */
type ChangeLine =
  | { readonly put: IndexDocument }
  | { readonly touch: { readonly key: string; readonly rank: number; readonly fetchedAt: number } }
  | { readonly remove: string };

/** What the changes made of a key. */
interface Changed {
  /** Undefined: it was removed. */
  readonly entry: IndexEntry | undefined;
  /** Where the file of changes has its document; undefined where it is the one of the file of documents. */
  readonly at: number | undefined;
}

/**
 * Opens an index of JSON Lines in a folder, which must be there: `documents.jsonl` has a document a line in the order of their keys, and
 * `changes-<n>.jsonl` what was put, touched and removed since. When the whole table was compared, or the changes are many, they are merged into a new
 * file of documents, which takes the place of the old one at once, and the changes begin again in a file of the next number. It holds a
 * few hundred bytes of each change since then, and needs room on the disk for both files of documents. Killed at any moment, both files together are right: changes that were merged
 * already may come again.
 * @throws CrawlError WRONG_INDEX where it is that of another table, STORE_FULL, STORE_FAILED
 */
export async function openJsonLinesWriter(folder: string, table: string, mergeAt = MERGE_AT): Promise<IndexWriter> {
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw toCrawlError(error, folder);
    }
  };
  let files = guarded(() => openFiles(folder, table, mergeAt));
  const { id } = files.notes();
  /** The files as they are by now: another writer of this table may have had its turn since. */
  function current(): ReturnType<typeof openFiles> {
    if (files.isCurrent()) return files;
    const newer = openFiles(folder, table, mergeAt);
    files.close();
    files = newer;
    if (newer.notes().id === id) return newer;
    throw new CrawlError(
      'STORE_FAILED',
      `expected the JSON Lines in ${folder} to stay, found them made anew meanwhile`,
      {
        hint: 'run the same command again: it brings in the whole table',
      },
    );
  }
  return {
    id,
    get isWhole() {
      return files.notes().isWhole;
    },
    apply: async (changes) => guarded(() => current().apply(changes)),
    entries: async (after, limit) => guarded(() => current().entries(after ?? '', limit)),
    markWhole: async () => guarded(() => current().markWhole()),
    close: async () => files.close(),
  };
}

function openFiles(folder: string, table: string, mergeAt: MergeAt) {
  const path = (name: string): string => join(folder, name);
  let notes = notesFor(folder, table);
  // Of two files of changes the documents have the first already.
  const generations = generationsIn(folder);
  let generation = generations.pop() ?? 1;
  for (const merged of generations) rmSync(path(changesFile(merged)));
  let documents = openSync(path(DOCUMENTS_FILE), 'a+', 0o600);
  let log = openSync(path(changesFile(generation)), 'a+', 0o600);
  syncFolder(folder);
  let changed = new Map<string, Changed>();
  let size = 0;
  let walk: { readonly entries: Iterator<IndexEntry, undefined>; last: string } | undefined;
  for (const { text, at, end } of linesOf(log)) {
    note(JSON.parse(text) as ChangeLine, at);
    size = end;
  }
  // Half a line of a process that was killed.
  ftruncateSync(log, size);

  function note(line: ChangeLine, at: number): void {
    if ('put' in line) changed.set(line.put.key, { entry: entryOf(line.put), at });
    else if ('remove' in line) changed.set(line.remove, { entry: undefined, at: undefined });
    else {
      const { key, rank, fetchedAt } = line.touch;
      const before = find(key);
      if (before) changed.set(key, { entry: { ...before, rank, fetchedAt }, at: changed.get(key)?.at });
    }
  }

  function find(key: string): IndexEntry | undefined {
    const known = changed.get(key);
    if (known) return known.entry;
    const line = lineFrom(documents, key, keyIn);
    return line && keyIn(line.text) === key ? entryOf(JSON.parse(line.text) as IndexDocument) : undefined;
  }

  function apply(changes: readonly IndexChange[]): AppliedChanges {
    const applied = { added: 0, changed: 0, removed: 0 };
    let lines = '';
    const noted: [ChangeLine, number][] = [];
    let end = size;
    for (const change of changes) {
      const line = lineFor(change, find(change.type === 'put' ? change.document.key : change.key));
      if (!line) continue;
      const [came, wanted] = line;
      applied[came] += 1;
      const text = `${JSON.stringify(wanted)}\n`;
      noted.push([wanted, end]);
      lines += text;
      end += Buffer.byteLength(text);
    }
    if (lines === '') return applied;
    try {
      writeAll(log, lines);
      fsyncSync(log);
    } catch (error) {
      ftruncateSync(log, size);
      throw error;
    }
    size = end;
    for (const [line, at] of noted) note(line, at);
    if (areMany()) merge();
    return applied;
  }

  /** The documents as they are now, but for those that come while it goes on. */
  function* entriesFrom(after: string): Generator<IndexEntry, undefined> {
    for (const { key, text } of mergedKeys(after)) {
      const known = changed.get(key);
      const entry = known ? known.entry : entryOf(JSON.parse(text!) as IndexDocument);
      if (entry) yield entry;
    }
    return undefined;
  }

  /** The keys of both files in their order, with the line of the documents where there is one. */
  function* mergedKeys(after: string): Generator<{ readonly key: string; readonly text: string | undefined }> {
    const keys = [...changed.keys()].filter((key) => key > after).sort();
    let next = 0;
    const from = after === '' ? 0 : (lineFrom(documents, after, keyIn)?.at ?? Infinity);
    for (const { text } of from === Infinity ? [] : linesOf(documents, from)) {
      const key = keyIn(text);
      if (key <= after) continue;
      while (next < keys.length && keys[next]! < key) yield { key: keys[next++]!, text: undefined };
      if (keys[next] === key) next += 1;
      yield { key, text };
    }
    while (next < keys.length) yield { key: keys[next++]!, text: undefined };
  }

  function entries(after: string, limit: number): IndexEntry[] {
    if (walk?.last !== after || after === '') walk = { entries: entriesFrom(after), last: after };
    const step: IndexEntry[] = [];
    while (step.length < limit) {
      const { done, value } = walk.entries.next();
      if (done) break;
      step.push(value);
    }
    walk.last = step.at(-1)?.key ?? after;
    return step;
  }

  function* mergedLines(): Generator<string> {
    for (const { key, text } of mergedKeys('')) {
      const known = changed.get(key);
      if (!known) yield `${text!}\n`;
      else if (known.entry) {
        const { rank, fetchedAt } = known.entry;
        const found = known.at === undefined ? (JSON.parse(text!) as IndexDocument) : putAt(log, known.at);
        yield `${JSON.stringify({ ...found, rank, fetchedAt })}\n`;
      }
    }
  }

  function areMany(): boolean {
    return changed.size >= mergeAt.keys || size >= Math.max(mergeAt.bytes, fstatSync(documents).size);
  }

  function merge(): void {
    writeWhole(path(DOCUMENTS_FILE), mergedLines());
    const old = [documents, log];
    documents = openSync(path(DOCUMENTS_FILE), 'a+', 0o600);
    log = openSync(path(changesFile(generation + 1)), 'a+', 0o600);
    syncFolder(folder);
    old.forEach(closeSync);
    rmSync(path(changesFile(generation)));
    generation += 1;
    [changed, size, walk] = [new Map<string, Changed>(), 0, undefined];
  }

  function markWhole(): void {
    if (changed.size > 0) merge();
    if (!notes.isWhole) notes = writeNotes(folder, { ...notes, isWhole: true });
  }

  return {
    notes: () => notes,
    apply,
    entries,
    markWhole,
    /** Whether nobody else wrote these files, or removed them. */
    isCurrent(): boolean {
      const [own, found] = [fstatSync(log), statSync(path(changesFile(generation)), { throwIfNoEntry: false })];
      return found?.ino === own.ino && found.size === size;
    },
    close(): void {
      closeSync(documents);
      closeSync(log);
    },
  };
}

/** What the index notes of itself; one of another format is emptied. */
function notesFor(folder: string, table: string): Notes {
  const notes = readNotes(folder);
  if (notes && notes.table !== table) {
    throw new CrawlError('WRONG_INDEX', `expected the documents of this table in ${folder}, found those of another`, {
      hint: 'name a folder of its own for each table by the setting index.path',
    });
  }
  // What was removed of a whole index would never come back.
  const isThere = existsSync(join(folder, DOCUMENTS_FILE)) && generationsIn(folder).length > 0;
  const isOurs = notes?.format === FORMAT && (isThere || !notes.isWhole);
  if (isOurs && notes.id) return notes;
  if (isOurs) return writeNotes(folder, { ...notes, id: randomUUID() });
  const present = [DOCUMENTS_FILE, ...generationsIn(folder).map(changesFile)];
  const found = present.find((name) => existsSync(join(folder, name)));
  if (!notes && found !== undefined) {
    throw new CrawlError('BAD_SETTING', `expected no ${found} of another program in ${folder}, found one`, {
      hint: 'name another folder by the setting index.path',
    });
  }
  for (const name of present) rmSync(join(folder, name), { force: true });
  return writeNotes(folder, { format: FORMAT, id: randomUUID(), table, isWhole: false });
}

/** What a change comes to where the index has this entry; undefined where it changes nothing. */
function lineFor(
  change: IndexChange,
  before: IndexEntry | undefined,
): readonly [keyof AppliedChanges, ChangeLine] | undefined {
  if (change.type === 'remove') return before && ['removed', { remove: change.key }];
  if (change.type === 'put' && before?.fingerprint !== change.document.fingerprint)
    return [before ? 'changed' : 'added', { put: withKeyFirst(change.document) }];
  const { key, rank, fetchedAt } = change.type === 'put' ? change.document : change;
  if (!before || (before.rank === rank && before.fetchedAt === fetchedAt)) return undefined;
  return ['changed', { touch: { key, rank, fetchedAt } }];
}

/** Lines are looked up by their beginning. */
function withKeyFirst({ key, ...rest }: IndexDocument): IndexDocument {
  return { key, ...rest };
}

/** The key of a line of documents, without the rest of it. */
function keyIn(line: string): string {
  const [, key = '""'] = /^\{"key":("(?:[^"\\]|\\.)*")/.exec(line) ?? [];
  return JSON.parse(key) as string;
}

function entryOf({ key, rank, fetchedAt, fingerprint }: IndexDocument): IndexEntry {
  return { key, rank, fetchedAt, fingerprint };
}

function putAt(log: number, at: number): IndexDocument {
  return (JSON.parse(lineAt(log, at)!.text) as { readonly put: IndexDocument }).put;
}

function toCrawlError(error: unknown, folder: string): CrawlError {
  if (error instanceof CrawlError) return error;
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  if (isFull) {
    return new CrawlError('STORE_FULL', `expected room for the search index in ${folder}, found the disk full`, {
      hint: 'make room, then run the same command again: what was indexed stays, and the rest is added',
      cause: error,
    });
  }
  return new CrawlError('STORE_FAILED', `the JSON Lines in ${folder} cannot be used: ${messageOf(error)}`, {
    hint: 'where a file is broken: remove that folder, then run `webcrawl index`, which makes it anew from the table',
    cause: error,
  });
}
