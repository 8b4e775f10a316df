import { closeSync, openSync, readFileSync, readdirSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Bytes of the length and CRC before each group. */
const HEAD = 8;
const NAME = /^journal-(\d+)$/;

/** The path of a round's journal. */
export function journalPath(folder: string, round: number): string {
  return join(folder, `journal-${round}`);
}

/** Appends groups of row changes to the journal of a round. Each is one write, so after a kill it is complete or absent. */
export class Journal {
  readonly #path: string;
  #file: number | undefined;

  /** @param folder without a journal of this round; the first group creates one */
  constructor(folder: string, round: number) {
    this.#path = journalPath(folder, round);
  }

  append(group: Uint8Array): void {
    this.#file ??= openSync(this.#path, 'wx');
    const head = Buffer.allocUnsafe(HEAD);
    head.writeUInt32LE(group.length, 0);
    head.writeUInt32LE(crc32(group), 4);
    const written = writevSync(this.#file, [head, group]);
    // Anything after a torn record would never be read.
    if (written < HEAD + group.length) throw new Error('the journal could not be written');
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** The rounds with a journal, in order. */
export function journalRounds(folder: string): number[] {
  const found = readdirSync(folder).flatMap((name) => NAME.exec(name)?.[1] ?? []);
  return found.map(Number).sort((a, b) => a - b);
}

/** The groups of a journal up to the first incomplete one. */
export function* readJournal(folder: string, round: number): Generator<Buffer> {
  const bytes = readFileSync(journalPath(folder, round));
  for (let at = 0; at + HEAD <= bytes.length;) {
    const end = at + HEAD + bytes.readUInt32LE(at);
    const group = bytes.subarray(at + HEAD, end);
    if (end > bytes.length || crc32(group) !== bytes.readUInt32LE(at + 4)) return;
    yield group;
    at = end;
  }
}
