import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column, StoredInlink } from '../../../webtable/index.js';
import {
  decodeInlinks,
  encodeInlinks,
  inlinkColumn,
  inlinkPosition,
  putInlinks,
} from '../../../webtable/pages/inlink-cell.js';

const SEED = 11;
type Links = Map<string, StoredInlink>;

const source = fc
  .tuple(fc.constantFrom('com.a', 'com.a.www', 'org.b'), fc.string({ unit: 'grapheme-ascii', maxLength: 90 }))
  .map(([host, path]) => `${host}:http/${path}`);
const anchor = fc
  .array(fc.constantFrom('a', '~', '\x7f', '\x80', 'ä', '中', '😀', '\0', 'x'.repeat(30), 'y'.repeat(200)), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const links: fc.Arbitrary<Links> = fc
  .array(fc.tuple(source, fc.record({ anchor, score: fc.double() }, { noNullPrototype: true })), { maxLength: 40 })
  .map((pairs) => new Map(pairs));

function decoded(bytes: Uint8Array): Links {
  const into: Links = new Map();
  decodeInlinks(bytes, into);
  return into;
}

describe('a cell of inlinks', () => {
  it('returns them as they were, in their order', () => {
    fc.assert(
      fc.property(links, (all) => {
        expect([...decoded(encodeInlinks(all))]).toEqual([...all]);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('may be of any size', () => {
    const many: Links = new Map();
    for (let i = 0; i < 5000; i++) many.set(`com.a:http/${i}`, { anchor: 'ä'.repeat(i % 200), score: i });
    expect([...decoded(encodeInlinks(many))]).toEqual([...many]);
    const long: Links = new Map([[`com.a:http/${'p'.repeat(100_000)}`, { anchor: 'b'.repeat(100_000), score: -0 }]]);
    expect([...decoded(encodeInlinks(long))]).toEqual([...long]);
  });

  it('has the frozen format', () => {
    const bytes = encodeInlinks(
      new Map([
        ['com.a:http/1', { anchor: 'aä', score: 1 }],
        ['com.a:http/25', { anchor: '', score: -2 }],
      ]),
    );
    expect(Buffer.from(bytes).toString('hex')).toBe(
      `02${'000c'}${Buffer.from('com.a:http/1').toString('hex')}${'0361c3a4'}${'3ff0000000000000'}` +
        `${'0b02'}${'3235'}${'00'}${'c000000000000000'}`,
    );
    const long = encodeInlinks(new Map([['k'.repeat(300), { anchor: 'z'.repeat(200), score: 0 }]]));
    expect([...long.subarray(0, 4)]).toEqual([1, 0, 0xac, 0x02]);
    expect([...long.subarray(304, 306)]).toEqual([0xc8, 0x01]);
    expect([...encodeInlinks(new Map())]).toEqual([0]);
  });

  it('stores a lone surrogate as U+FFFD, like every text', () => {
    const cell = encodeInlinks(new Map([['com.a:http/', { anchor: 'a\ud800', score: 1 }]]));
    expect(decoded(cell).get('com.a:http/')?.anchor).toBe('a\ufffd');
  });

  it('replaces an inlink of the same source in an earlier cell', () => {
    const into = decoded(encodeInlinks(new Map([['a', { anchor: '1', score: 1 }]])));
    decodeInlinks(encodeInlinks(new Map([['a', { anchor: '2', score: 2 }]])), into);
    expect([...into]).toEqual([['a', { anchor: '2', score: 2 }]]);
  });

  it('is rejected if bytes are missing or left over, or the count differs', () => {
    fc.assert(
      fc.property(links, fc.nat(), (all, cut) => {
        const cell = Buffer.from(encodeInlinks(all));
        expect(() => decoded(cell.subarray(0, cut % cell.length))).toThrow();
        expect(() => decoded(Buffer.concat([cell, Buffer.of(0)]))).toThrow('after the last one');
        cell[0]! += all.size > 0 && cut % 2 === 0 ? -1 : 1;
        expect(() => decoded(cell)).toThrow();
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it.each([
    ['no bytes', ''],
    [
      'a source that shares more than the one before has',
      `02${'0001'}61${'00'}${'00'.repeat(8)}${'0201'}62${'00'}${'00'.repeat(8)}`,
    ],
    ['a source that is not ASCII', `01${'0002'}c3a4${'00'}${'00'.repeat(8)}`],
    ['a source with a control character', `01${'0001'}0a${'00'}${'00'.repeat(8)}`],
    ['an anchor that is not UTF-8', `01${'0001'}61${'01ff'}${'00'.repeat(8)}`],
    ['a length beyond the end', `01${'00ffffffffffffff7f'}61`],
    ['a number without an end', 'ffffffffffffffffffffff'],
  ])('is rejected with %s', (_, hex) => {
    expect(() => decoded(Buffer.from(hex, 'hex'))).toThrow();
  });

  it('never reads beyond its end or without end, whatever its bytes are', () => {
    const noise = fc.uint8Array({ maxLength: 60 });
    const broken = fc.tuple(links, fc.nat(), fc.nat(255)).map(([all, at, byte]) => {
      const cell = encodeInlinks(all);
      cell[at % cell.length] = byte;
      return cell;
    });
    fc.assert(
      fc.property(fc.oneof(noise, broken), (bytes) => {
        const read = (behind: number): unknown => {
          const room = new Uint8Array(bytes.length + 40).fill(behind);
          room.set(bytes);
          try {
            return [...decoded(room.subarray(0, bytes.length))];
          } catch (error) {
            return (error as Error).message;
          }
        };
        // Bytes after the cell do not matter.
        expect(read(0)).toEqual(read(0x61));
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });
});

describe('the cells of inlinks', () => {
  it('have a limited size, and are named by the positions of their first links', () => {
    const all: Links = new Map();
    for (let i = 0; i < 5000; i++) all.set(`com.${i}:http/${'p'.repeat(1000)}`, { anchor: '', score: i });
    const put = new Map<Column, Uint8Array>();
    putInlinks(put, 7, all);
    const into: Links = new Map();
    for (const [column, cell] of put) {
      expect(inlinkPosition(column)).toBe(7 + into.size);
      expect(cell.length).toBeLessThanOrEqual(1024 * 1024);
      decodeInlinks(cell, into);
    }
    expect(put.size).toBe(8);
    expect([...into]).toEqual([...all]);
  });

  it('are one cell if they fit or cannot be split', () => {
    for (const source of ['com.a:http/', `com.a:http/${'p'.repeat(2_000_000)}`]) {
      const put = new Map<Column, Uint8Array>();
      const links = new Map([[source, { anchor: 'a', score: 1 }]]);
      putInlinks(put, 3, links);
      expect([...put.keys()]).toEqual(['l:b:0000000003']);
      expect(Buffer.compare(put.get('l:b:0000000003')!, encodeInlinks(links))).toBe(0);
    }
  });
});

describe('the column of inlinks', () => {
  it('sorts by position', () => {
    expect(inlinkColumn(0)).toBe('l:b:0000000000');
    expect(inlinkColumn(12_500)).toBe('l:b:0000012500');
    for (const position of [0, 9, 10, 9_999_999_999]) expect(inlinkPosition(inlinkColumn(position))).toBe(position);
  });

  it.each(['l:b:', 'l:b:1', 'l:b:nonsense', 'l:b:-000000001', 'l:b:00000001.5', 'l:b:00000000000'])(
    'is not %s',
    (column) => {
      expect(() => inlinkPosition(column)).toThrow('no column of inlinks');
    },
  );
});
