import type { AbstractIterator } from 'abstract-level';
import { iteratorOptions, type LevelDatabase, type LevelSnapshot } from '../database.js';
import { rangeKeys, wideKey } from '../layout.js';
import { addPacked, type FamilyPlan, type RowDraft } from './rows.js';
import { selects } from '../../../selectors.js';
import type { KeyRange } from '../../../store.js';

/** Entries to read at a time; fewer when they are large. */
const CHUNK = 1000;

/** Goes through the rows of one family in one range. Call {@link fill} when {@link isEmpty}. */
export class FamilyCursor {
  readonly #family: FamilyPlan;
  readonly #iterator: AbstractIterator<LevelDatabase, string, Uint8Array>;
  #entries: [string, Uint8Array][] = [];
  #at = 0;
  #ended = false;
  #chunk: number;
  /** The row key of the entry at hand; undefined where there is none. */
  #key: string | undefined;

  /** @param wanted how many rows are likely to be asked for; it is only a hint */
  constructor({ database, snapshot }: LevelSnapshot, family: FamilyPlan, range: KeyRange, wanted = Infinity) {
    this.#family = family;
    this.#chunk = Math.min(wanted, CHUNK);
    this.#iterator = database.iterator(iteratorOptions(rangeKeys(family.layout, range), snapshot));
  }

  /** The row it is at; undefined where it is empty or at the end. */
  get key(): string | undefined {
    return this.#key;
  }

  /** More must be read before it knows where it is. */
  get isEmpty(): boolean {
    return this.#key === undefined && !this.#ended;
  }

  /** Reads on. */
  async fill(): Promise<void> {
    this.#entries = await this.#iterator.nextv(this.#chunk);
    this.#chunk = CHUNK;
    this.#at = 0;
    this.#ended = this.#entries.length === 0;
    this.#readRow();
  }

  /** The stored value of a packed family at this row. */
  get packed(): Uint8Array {
    return this.#entries[this.#at]![1];
  }

  /**
   * Adds what is asked for to the row it is at and moves on to the next one. Returns a promise where the row goes on
   * beyond what was read ahead.
   */
  take(row: RowDraft): Promise<void> | undefined {
    if (this.#family.layout.shape === 'wide') return this.#takeCells(row);
    addPacked(this.#family, this.packed, row);
    this.advance();
    return undefined;
  }

  /** Moves on by one entry. */
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
