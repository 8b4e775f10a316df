import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePacked as mergeSorted, PackedReader } from '../../webtable/packed-cells.js';
import { inOrder } from '../../webtable/stores/level/write/edits.js';
import { bytes } from '../support/stores/plain-rows.js';

type Changes = ReadonlyMap<string, Uint8Array | undefined>;

function mergePacked(stored: Uint8Array | undefined, changes: Changes): Uint8Array | undefined {
  return mergeSorted(stored, inOrder({ qualifiers: [...changes.keys()], values: [...changes.values()] }));
}

function decodePacked(bytes: Uint8Array): Map<string, Uint8Array> {
  const cells = new Map<string, Uint8Array>();
  new PackedReader((name) => name).read(bytes, cells);
  return cells;
}

const SEED = 7;
const qualifier = fc.string({ minLength: 1, maxLength: 200, unit: fc.constantFrom('a', 'b', ' ', '~') });
const cellMap = fc
  .array(fc.tuple(qualifier, fc.uint8Array({ maxLength: 300 })), { maxLength: 20 })
  .map((cells) => new Map(cells));

/** Few names, so that changes meet existing cells. */
const shortQualifier = fc.constantFrom('a', 'aa', 'ab', 'b', 'ba', 'c', '\u0001', 'b'.repeat(200));
const shortCells = fc
  .array(fc.tuple(shortQualifier, fc.uint8Array({ maxLength: 200 })), { maxLength: 8 })
  .map((cells) => new Map(cells));

const hex = (cells: ReadonlyMap<string, Uint8Array>): [string, string][] =>
  [...cells].map(([name, value]) => [name, Buffer.from(value).toString('hex')]);
const sorted = (cells: ReadonlyMap<string, Uint8Array>): [string, string][] =>
  hex(cells).sort(([a], [b]) => (a < b ? -1 : 1));

/** A new value of these cells, which must not be empty. */
const encodePacked = (cells: ReadonlyMap<string, Uint8Array>): Buffer => Buffer.from(mergePacked(undefined, cells)!);

describe('packed cells', () => {
  it('has the frozen format', () => {
    const packed = encodePacked(
      new Map([
        ['st', bytes('\u0001')],
        ['a', bytes('')],
        ['b', Buffer.alloc(130, 7)],
      ]),
    );
    expect(packed.toString('hex')).toBe(`03016100${'01628201'}${'07'.repeat(130)}0273740101`);
  });

  it('returns any cells in the order of their qualifiers', () => {
    fc.assert(
      fc.property(cellMap, (cells) => {
        const packed = mergePacked(undefined, cells);
        expect(packed ? hex(decodePacked(packed)) : []).toEqual(sorted(cells));
      }),
      { seed: SEED },
    );
  });

  it('merges as if the cells were decoded, changed one by one, and encoded', () => {
    const edits = fc
      .array(fc.tuple(shortQualifier, fc.option(fc.uint8Array({ maxLength: 200 }), { nil: undefined })), {
        maxLength: 8,
      })
      .map((changes) => new Map(changes));
    fc.assert(
      fc.property(shortCells, fc.array(edits, { maxLength: 5 }), (cells, changes) => {
        let packed = mergePacked(undefined, cells);
        const plain = new Map(cells);
        for (const change of changes) {
          const before = packed && Buffer.from(packed);
          const merged = mergePacked(packed, change);
          expect(packed && Buffer.from(packed)).toEqual(before);
          for (const [name, value] of change) {
            if (value) plain.set(name, value);
            else plain.delete(name);
          }
          expect(merged).toEqual(mergePacked(undefined, plain));
          expect(merged ? hex(decodePacked(merged)) : []).toEqual(sorted(plain));
          packed = merged;
        }
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('gives each value its own memory, however long the value is', () => {
    const lengths = [1, 40, 70, 500, 16_000, 17_000, 100_000];
    const values = lengths.map((length) => encodePacked(new Map([['a', Buffer.alloc(length, length % 251)]])));
    const merged = lengths.map((length, i) =>
      mergePacked(values[i], new Map([['b', Buffer.alloc(length, (length + 1) % 251)]])),
    );
    for (const [i, length] of lengths.entries()) {
      const cells = decodePacked(merged[i]!);
      expect(Buffer.compare(cells.get('a')!, Buffer.alloc(length, length % 251)), `${length}`).toBe(0);
      expect(Buffer.compare(cells.get('b')!, Buffer.alloc(length, (length + 1) % 251)), `${length}`).toBe(0);
    }
  });

  it('merges into a value in the middle of a larger buffer', () => {
    const packed = encodePacked(new Map([['b', bytes('2')]]));
    const within = Buffer.concat([bytes('before'), packed, bytes('after')]).subarray(6, 6 + packed.length);
    const merged = mergePacked(within, new Map([['a', bytes('1')]]))!;
    expect(hex(decodePacked(merged))).toEqual(
      sorted(
        new Map([
          ['a', bytes('1')],
          ['b', bytes('2')],
        ]),
      ),
    );
  });

  it('reads only the named cells, from any number of values', () => {
    const reader = new PackedReader((name) => (name.startsWith('a') ? `m:${name}` : undefined));
    fc.assert(
      fc.property(cellMap, (cells) => {
        const found = new Map<string, Uint8Array>();
        const packed = mergePacked(undefined, cells);
        if (packed) reader.read(packed, found);
        const expected = sorted(cells).filter(([name]) => name.startsWith('a'));
        expect(hex(found)).toEqual(expected.map(([name, value]) => [`m:${name}`, value]));
      }),
      { seed: SEED },
    );
  });

  it('rejects a value that was cut or extended at any place', () => {
    const packed = encodePacked(
      new Map([
        ['st', Buffer.alloc(200, 1)],
        ['a', bytes('x')],
        ['b', bytes('')],
      ]),
    );
    for (let length = 0; length < packed.length; length++) {
      expect(() => decodePacked(packed.subarray(0, length)), `cut to ${length}`).toThrow('no packed cells');
      expect(() => mergePacked(packed.subarray(0, length), new Map()), `cut to ${length}`).toThrow('no packed cells');
    }
    expect(() => decodePacked(Buffer.concat([packed, bytes('x')]))).toThrow('no packed cells');
  });

  it('throws only its own error on any bytes, and soon ends', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (junk) => {
        for (const read of [decodePacked, (value: Uint8Array) => mergePacked(value, new Map([['a', value]]))]) {
          try {
            read(junk);
          } catch (error) {
            expect((error as Error).message).toMatch(/^no packed cells/);
          }
        }
      }),
      { seed: SEED, numRuns: 2000 },
    );
    expect(() => decodePacked(Buffer.alloc(20, 0xff))).toThrow('no packed cells');
  });
});
