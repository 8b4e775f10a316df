import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePacked, encodePacked, packedCellEquals, packedReader } from '../../webtable/packed-cells.js';
import { bytes } from '../support/plain-rows.js';

const SEED = 7;
const qualifier = fc.string({ minLength: 1, maxLength: 200, unit: fc.constantFrom('a', 'b', ' ', '~') });
const cellMap = fc
  .array(fc.tuple(qualifier, fc.uint8Array({ maxLength: 300 })), { maxLength: 20 })
  .map((cells) => new Map(cells));

const hex = (cells: ReadonlyMap<string, Uint8Array>): [string, string][] =>
  [...cells].map(([name, value]) => [name, Buffer.from(value).toString('hex')]);
const sorted = (cells: ReadonlyMap<string, Uint8Array>): [string, string][] =>
  hex(cells).sort(([a], [b]) => (a < b ? -1 : 1));

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

  it('gives back any cells in order of their qualifiers', () => {
    fc.assert(
      fc.property(cellMap, (cells) => {
        expect(hex(decodePacked(encodePacked(cells)))).toEqual(sorted(cells));
      }),
      { seed: SEED },
    );
  });

  it('reads only the cells that are named, from any number of values', () => {
    const read = packedReader((name) => (name.startsWith('a') ? `m:${name}` : undefined));
    fc.assert(
      fc.property(cellMap, (cells) => {
        const found = new Map<string, Uint8Array>();
        read(encodePacked(cells), (name, value) => found.set(name, value));
        const expected = sorted(cells).filter(([name]) => name.startsWith('a'));
        expect(hex(found)).toEqual(expected.map(([name, value]) => [`m:${name}`, value]));
      }),
      { seed: SEED },
    );
  });

  it('compares a cell without decoding the others', () => {
    const packed = encodePacked(
      new Map([
        ['st', bytes('one')],
        ['s', bytes('')],
      ]),
    );
    expect(packedCellEquals(packed, bytes('st'), bytes('one'))).toBe(true);
    expect(packedCellEquals(packed, bytes('s'), bytes(''))).toBe(true);
    expect(packedCellEquals(packed, bytes('st'), bytes('on'))).toBe(false);
    expect(packedCellEquals(packed, bytes('t'), bytes(''))).toBe(false);
  });

  it('refuses a value that was cut or lengthened at any place', () => {
    const packed = encodePacked(
      new Map([
        ['st', Buffer.alloc(200, 1)],
        ['a', bytes('x')],
        ['b', bytes('')],
      ]),
    );
    for (let length = 0; length < packed.length; length++) {
      expect(() => decodePacked(packed.subarray(0, length)), `cut to ${length}`).toThrow('no packed cells');
    }
    expect(() => decodePacked(Buffer.concat([packed, bytes('x')]))).toThrow('no packed cells');
  });

  it('throws nothing but its own error and ends soon on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (junk) => {
        try {
          decodePacked(junk);
        } catch (error) {
          expect((error as Error).message).toMatch(/^no packed cells/);
        }
      }),
      { seed: SEED, numRuns: 2000 },
    );
    expect(() => decodePacked(Buffer.alloc(20, 0xff))).toThrow('no packed cells');
  });
});
