import type { AbstractIterator } from 'abstract-level';
import { iteratorOptions, type LevelDatabase, type LevelSnapshot } from '../database.js';
import { rangeKeys, wideKey } from '../layout.js';
import { addPacked, type FamilyPlan, type RowDraft } from './rows.js';
import { selects } from '../../../selectors.js';
import type { KeyRange } from '../../../store.js';

/** Entries to read at a time; fewer if they are large. */
const CHUNK = 1000;

/** Iterates over the rows of one family in one range. Call {@link fill} when {@link isEmpty} is true. */
export class FamilyCursor {
  readonly #family: FamilyPlan;
  readonly #iterator: AbstractIterator<LevelDatabase, string, Uint8Array>;
  #entries: [string, Uint8Array][] = [];
  #at = 0;
  #ended = false;
  #chunk: number;
  /** The row key of the current entry; undefined if there is none. */
  #key: string | undefined;

  /** @param wanted the probable number of rows to read; only a hint */
  constructor({ database, snapshot }: LevelSnapshot, family: FamilyPlan, range: KeyRange, wanted = Infinity) {
    this.#family = family;
    this.#chunk = Math.min(wanted, CHUNK);
    this.#iterator = database.iterator(iteratorOptions(rangeKeys(family.layout, range), snapshot));
  }

  /** The key of the current row; undefined if the cursor is empty or at the end. */
  get key(): string | undefined {
    return this.#key;
  }

  /** Whether {@link fill} must read more before the current row is known. */
  get isEmpty(): boolean {
    return this.#key === undefined && !this.#ended;
  }

  /** Reads the next entries. */
  async fill(): Promise<void> {
    this.#entries = await this.#iterator.nextv(this.#chunk);
    this.#chunk = CHUNK;
    this.#at = 0;
    this.#ended = this.#entries.length === 0;
    this.#readRow();
  }

  /** The stored value of a packed family in the current row. */
  get packed(): Uint8Array {
    return this.#entries[this.#at]![1];
  }

  /** Adds the selected cells to the current row, and moves to the next row. Returns a promise if some entries of the row are not read yet. */
  take(row: RowDraft): Promise<void> | undefined {
    if (this.#family.layout.shape === 'wide') return this.#takeCells(row);
    addPacked(this.#family, this.packed, row);
    this.advance();
    return undefined;
  }

  /** Moves to the next entry. */
  advance(): void {
    this.#at++;
    this.#readRow();
  }

  async close(): Promise<void> {
    await this.#iterator.close();
  }

  #takeCells(row: RowDraft): Promise<void> | undefined {
    const { layout, selector } = this.#family;
    const nameStart = wideKey(layout, row.key, '').length;
    for (; this.#key === row.key; this.advance()) {
      const [key, value] = this.#entries[this.#at]!;
      const qualifier = key.slice(nameStart);
      if (selects(selector, qualifier)) row.cells.set(`${layout.name}:${qualifier}`, value);
    }
    return this.isEmpty ? this.fill().then(() => this.#takeCells(row)) : undefined;
  }

  #readRow(): void {
    const key = this.#entries[this.#at]?.[0];
    if (key === undefined) {
      this.#key = undefined;
    } else {
      const { prefix, shape } = this.#family.layout;
      this.#key = key.slice(prefix.length, shape === 'wide' ? key.indexOf('\0') : undefined);
    }
  }
}
