import { closeSync, openSync, readFileSync, readdirSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Length and CRC of what follows. */
const HEAD = 8;
const NAME = /^journal-(\d+)$/;

/** The journal of a round. */
export function journalPath(folder: string, round: number): string {
  return join(folder, `journal-${round}`);
}

/** Appends groups of row changes to the journal of one round, each in one write that a kill leaves whole or not there. */
export class Journal {
  readonly #path: string;
  #file: number | undefined;

  /** @param folder where none is of this round; one is made by the first group */
  constructor(folder: string, round: number) {
    this.#path = journalPath(folder, round);
  }

  append(group: Uint8Array): void {
    this.#file ??= openSync(this.#path, 'wx');
    const head = Buffer.allocUnsafe(HEAD);
    head.writeUInt32LE(group.length, 0);
    head.writeUInt32LE(crc32(group), 4);
    const written = writevSync(this.#file, [head, group]);
    // What follows a torn record would never be read.
    if (written < HEAD + group.length) throw new Error('the journal could not be written');
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

/** The rounds of which a journal is there, in order. */
export function journalRounds(folder: string): number[] {
  const found = readdirSync(folder).flatMap((name) => NAME.exec(name)?.[1] ?? []);
  return found.map(Number).sort((a, b) => a - b);
}

/** The groups of a journal up to the first that is not whole. */
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
