import { isAbsolute, join, normalize, sep } from 'node:path';
import type { FileHandle } from 'node:fs/promises';
import type { JsonValue } from '../../../webtable/index.js';
import { closeOnError, type TargetFiles } from './files.js';

/** A part of an export that is whole. */
export interface WholePart {
  /** Relative to the target, with `/`. */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** How far an export has got: what it needs to go on from there. */
export interface Checkpoint {
  /** The key of the last row that is in the parts. */
  readonly lastKey?: string;
  /** Whatever else the format has to remember. */
  readonly state?: JsonValue;
}

/** A part that is begun, as of a checkpoint: what is in it beyond that is to be cut off. */
export interface OpenPart {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

/** What a journal says. */
export interface JournalState {
  readonly kind: 'file' | 'folder';
  /** What is exported. */
  readonly identity: JsonValue;
  readonly checkpoint?: Checkpoint;
  readonly open: readonly OpenPart[];
  /** Names that were begun after the last checkpoint. */
  readonly begun: readonly string[];
  /** All parts are whole, and the target is being put in its place: what its manifest begins with. */
  readonly commit?: ManifestHead;
}

/** What a manifest says before it comes to the parts. */
export type ManifestHead = Readonly<Record<string, JsonValue>>;

interface Line {
  readonly kind?: 'file' | 'folder';
  readonly identity?: JsonValue;
  readonly begin?: string;
  readonly done?: readonly WholePart[];
  readonly open?: readonly OpenPart[];
  readonly checkpoint?: Checkpoint;
  readonly commit?: ManifestHead;
}

const NAME = 'journal';
/** Before the names of parts that are not for the target: seen from the folder of parts, a folder beside it. */
export const SCRATCH = '../scratch/';

/**
 * The notes of an export under way, in a file of one JSON document a line. A line that is not whole, or that says what no export
 * writes, counts for nothing, and so do those behind it.
 */
export interface Journal {
  /** Outlasts a kill, but not a power failure. */
  begin(part: string): Promise<void>;
  /** Outlasts a power failure. */
  checkpoint(done: readonly WholePart[], open: readonly OpenPart[], checkpoint: Checkpoint): Promise<void>;
  /** From here on the export is finished by whoever comes, and not done again. */
  commit(done: readonly WholePart[], head: ManifestHead): Promise<void>;
  close(): Promise<void>;
}

/** Reads a journal, and cuts off a line that is not whole; undefined where there is none. */
export async function readJournal(files: TargetFiles, folder: string): Promise<JournalState | undefined> {
  const handle = await files.open(join(folder, NAME), 'r+').catch(() => undefined);
  if (!handle) return undefined;
  try {
    let state: JournalState | undefined;
    let end = 0;
    for await (const [line, next] of linesOf(handle)) {
      end = next;
      if (line.kind) {
        state = { kind: line.kind, identity: line.identity ?? null, open: [], begun: [] };
      } else if (!state) break;
      else if (line.begin !== undefined) state = { ...state, begun: [...state.begun, line.begin] };
      else if (line.commit) state = { ...state, commit: line.commit, open: [], begun: [] };
      else state = { ...state, checkpoint: line.checkpoint ?? {}, open: line.open ?? [], begun: [] };
    }
    if (state) await handle.truncate(end);
    return state;
  } finally {
    await handle.close();
  }
}

/** The parts that a journal has as whole, in the order in which they became so. */
export async function* wholePartsOf(files: TargetFiles, folder: string): AsyncGenerator<WholePart> {
  await using handle = await files.open(join(folder, NAME), 'r');
  for await (const [{ done = [] }] of linesOf(handle)) yield* done;
}

/** Opens the journal of a folder to add to it, a new one where `head` is given. */
export async function openJournal(
  files: TargetFiles,
  folder: string,
  head?: Pick<JournalState, 'kind' | 'identity'>,
): Promise<Journal> {
  const handle = await files.open(join(folder, NAME), head ? 'w' : 'a');
  const append = async (line: Line, safe: boolean): Promise<void> => {
    // Of JSON's characters these alone would end a line for who reads it.
    const text = JSON.stringify(line).replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
    await handle.appendFile(`${text}\n`);
    if (safe) await handle.sync();
  };
  if (head) await closeOnError(handle, () => append({ kind: head.kind, identity: head.identity }, true));
  return {
    begin: (begin) => append({ begin }, false),
    checkpoint: (done, open, checkpoint) => append({ done, open, checkpoint }, true),
    commit: (done, commit) => append({ done, commit }, true),
    close: () => handle.close(),
  };
}

/** The whole lines, each with where it ends. */
async function* linesOf(handle: FileHandle): AsyncGenerator<readonly [Line, number]> {
  const { size } = await handle.stat();
  let end = 0;
  for await (const text of handle.readLines({ start: 0, autoClose: false })) {
    end += Buffer.byteLength(text) + 1;
    if (end > size) return;
    let line: unknown;
    try {
      line = JSON.parse(text);
    } catch {
      return;
    }
    if (!isLine(line)) return;
    yield [line, end];
  }
}

/** Whether a line says what an export writes: somebody may have edited the file, and what it names is removed. */
function isLine(found: unknown): found is Line {
  if (!isObject(found)) return false;
  const { kind, begin, done = [], open = [], checkpoint = {}, commit = {} } = found;
  return (
    (kind === undefined || kind === 'file' || kind === 'folder') &&
    (begin === undefined || isPartName(begin)) &&
    Array.isArray(done) &&
    done.every((part: unknown) => isPart(part) && typeof part['sha256'] === 'string') &&
    Array.isArray(open) &&
    open.every(isPart) &&
    isObject(checkpoint) &&
    ['string', 'undefined'].includes(typeof checkpoint['lastKey']) &&
    isObject(commit)
  );
}

function isPart(found: unknown): found is Record<string, unknown> {
  return isObject(found) && isPartName(found['name']) && [found['rows'], found['bytes']].every(isCount);
}

/** Whether a name stays in the folder of parts, or that of scratch parts. */
function isPartName(name: unknown): boolean {
  if (typeof name !== 'string') return false;
  const inner = name.startsWith(SCRATCH) ? name.slice(SCRATCH.length) : name;
  return inner !== '' && !isAbsolute(inner) && !['.', '..'].includes(normalize(inner).split(sep)[0]!);
}

const isCount = (found: unknown): boolean => Number.isSafeInteger(found) && (found as number) >= 0;

const isObject = (found: unknown): found is Record<string, unknown> =>
  typeof found === 'object' && found !== null && !Array.isArray(found);
