import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The documents of an index of JSON Lines. */
export const DOCUMENTS_FILE = 'documents.jsonl';
const NOTES_FILE = 'about.json';
const CHANGES_FILE = /^changes-(\d+)\.jsonl$/;
/** UTF-16 units that are written at a time. */
const BLOCK = 1 << 20;

/** What the index notes of itself. */
export interface Notes {
  readonly format: string;
  /** Made at random with the index. */
  readonly id: string;
  /** The table whose pages it holds. */
  readonly table: string;
  readonly isWhole: boolean;
}

/** The numbers of the files of changes in a folder, ascending. */
export function generationsIn(folder: string): number[] {
  return readdirSync(folder)
    .flatMap((name) => CHANGES_FILE.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** The file of changes of a number. */
export function changesFile(generation: number): string {
  return `changes-${generation}.jsonl`;
}

/** What the index of a folder notes of itself; undefined where there is none. */
export function readNotes(folder: string): Notes | undefined {
  const path = join(folder, NOTES_FILE);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Notes) : undefined;
}

/** Notes it, durably. */
export function writeNotes(folder: string, notes: Notes): Notes {
  writeWhole(join(folder, NOTES_FILE), [`${JSON.stringify(notes)}\n`]);
  return notes;
}

/** Writes a file that is there as a whole or not at all, durably. */
export function writeWhole(path: string, texts: Iterable<string>): void {
  const part = `${path}.part`;
  const file = openSync(part, 'w', 0o600);
  try {
    let block = '';
    for (const text of texts) {
      block += text;
      if (block.length < BLOCK) continue;
      writeAll(file, block);
      block = '';
    }
    writeAll(file, block);
    fsyncSync(file);
    closeSync(file);
  } catch (error) {
    closeSync(file);
    // It may have filled the disk.
    rmSync(part, { force: true });
    throw error;
  }
  renameSync(part, path);
  syncFolder(dirname(path));
}

/** Writes all of a text where a file is at. */
export function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** Makes the names in a folder outlast a power failure, where the system can. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
