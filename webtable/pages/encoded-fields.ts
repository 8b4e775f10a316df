import { CellBuffer } from './cell-buffer.js';
import { FIELD_CODECS } from './codec.js';
import type { CellCodec } from './cell-codec.js';
import type { Page, PageChange, PlainField } from './page.js';

/** The cells of fields in a form that can be sent to another thread. */
export interface PackedFields {
  readonly fields: readonly PlainField[];
  /** The end offset of each field's cell in `memory`. Each cell begins where the previous one ends. */
  readonly ends: readonly number[];
  readonly memory: ArrayBuffer;
}

/** The cells of fields, as they are stored, one after another in one buffer. */
export class EncodedFields implements Iterable<readonly [PlainField, Uint8Array]> {
  readonly cells: CellBuffer;
  readonly #fields: PlainField[];
  readonly #ends: number[];

  /** @param cells all of its cells are removed */
  constructor(cells = new CellBuffer(), { fields, ends }: Omit<PackedFields, 'memory'> = { fields: [], ends: [] }) {
    this.cells = cells;
    this.#fields = [...fields];
    this.#ends = [...ends];
    cells.end = ends.at(-1) ?? 0;
  }

  /** Reads the cells of another thread. */
  static unpack(packed: PackedFields): EncodedFields {
    return new EncodedFields(new CellBuffer(packed.memory), packed);
  }

  /** After a message that transfers `memory`, these cells can no longer be read. */
  pack(): PackedFields {
    return { fields: this.#fields, ends: this.#ends, memory: this.cells.bytes.buffer };
  }

  get fields(): readonly PlainField[] {
    return this.#fields;
  }

  /** Adds values that are not undefined. @throws TypeError if a value does not fit its field */
  add(set: NonNullable<PageChange['set']>): void {
    for (const name in set) {
      const field = name as PlainField;
      const value: unknown = set[field];
      if (value === undefined) continue;
      (FIELD_CODECS[field] as CellCodec<unknown>).encodeInto(this.cells, value);
      this.#fields.push(field);
      this.#ends.push(this.cells.end);
    }
  }

  /** The cell of a field; undefined if the field is not encoded. */
  get(field: PlainField): Uint8Array | undefined {
    const place = this.#fields.indexOf(field);
    return place < 0 ? undefined : this.#cellAt(place);
  }

  *[Symbol.iterator](): Generator<[PlainField, Uint8Array]> {
    for (const [place, field] of this.#fields.entries()) yield [field, this.#cellAt(place)];
  }

  /** The values of some fields. A value that cannot be decoded is left out, because a plugin may set a value of the wrong type. */
  decode<F extends PlainField>(fields: readonly F[]): { readonly [K in F]?: Page[K] } {
    const values = new Map<PlainField, unknown>();
    for (const field of fields) {
      const cell = this.get(field);
      try {
        if (cell) values.set(field, FIELD_CODECS[field].decode(cell));
      } catch {
        // As in a row: a field that cannot be read is absent.
      }
    }
    return Object.fromEntries(values) as { readonly [K in F]?: Page[K] };
  }

  #cellAt(place: number): Uint8Array {
    return this.cells.bytes.subarray(this.#ends[place - 1] ?? 0, this.#ends[place]);
  }
}

/**
 * Encodes values as cells, for a change that another process writes, or that is written later.
 * @param cells a buffer whose cells are no longer needed
 * @throws TypeError if a value does not fit its field
 */
export function encodeFields(set: NonNullable<PageChange['set']>, cells?: CellBuffer): EncodedFields {
  const encoded = new EncodedFields(cells);
  encoded.add(set);
  return encoded;
}
