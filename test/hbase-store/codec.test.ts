import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createTable,
  addColumnFamily,
  getAllRegionLocations,
  tableExists,
} from '../../packages/hbase/admin-requests.js';
import {
  checkAndMutate,
  checkAndPut,
  deleteMultiple,
  getMultiple,
  getScannerResults,
  mutateRow,
  putMultiple,
} from '../../packages/hbase/requests.js';
import type { RowDecoder } from '../../packages/hbase/thrift/read-rows.js';
import { BinaryReader } from '../../packages/hbase/thrift/binary-reader.js';
import { Frames } from '../../packages/hbase/thrift/frames.js';
import { decodeResponse, encodeCall, type Call } from '../../packages/hbase/thrift/messages.js';
import { KINDS, officialFrame, TYPES, type ThriftValue } from '../support/hbase/official-thrift.js';

const SEED = 20_261_122;
const binary = (value: string | Buffer): ThriftValue => ({ binary: value });
const struct = (...fields: readonly (readonly [number, ThriftValue])[]): ThriftValue => ({ struct: fields });
const structs = (...items: ThriftValue[]): ThriftValue => ({ list: items, of: TYPES.struct });
const column = (family: string, qualifier?: string): ThriftValue =>
  struct([1, binary(family)], ...(qualifier === undefined ? [] : [[2, binary(qualifier)] as const]));
const cell = (family: string, qualifier: string, value: Buffer): ThriftValue =>
  struct([1, binary(family)], [2, binary(qualifier)], [3, binary(value)]);

/** Rows as text: key, then cells. */
const asText = (): RowDecoder<string> => {
  let cells: string[] = [];
  return {
    begin: () => void (cells = []),
    cell: (...parts) => void cells.push(parts.map(String).join(' ')),
    end: (key) => [key ?? 'none', ...cells].join('; '),
  };
};

const value = Buffer.from([0, 255, 39, 10]);
const cells = [
  { family: 'm', qualifier: 'st', value },
  { family: 'l', qualifier: 'i:com.a:http/', value: Buffer.alloc(0) },
];
const put = struct(
  [1, binary('com.a:http/é')],
  [2, structs(cell('m', 'st', value), cell('l', 'i:com.a:http/', Buffer.alloc(0)))],
  [3, { i64: 1_795_388_671_123_456 }],
);
const tick = 1_795_388_671_123_456;
const mutations = [
  { kind: 'delete', at: tick },
  { kind: 'put', cells, at: tick },
] as const;
const officialMutations = struct(
  [1, binary('com.a:http/é')],
  [2, structs(struct([2, struct([1, binary('com.a:http/é')], [3, { i64: tick }], [4, { i32: 1 }])]), struct([1, put]))],
);
const table = struct([1, binary('ns')], [2, binary('crawl_meta')]);
const family = struct(
  [1, binary('v')],
  [5, { i32: 1 }],
  [6, { i32: 1 }],
  [8, { i32: 4 }],
  [10, { i32: 1 }],
  [14, { bool: true }],
);
const described = { name: 'v', compression: 'GZ', encoding: 'FAST_DIFF' } as const;
const key = 'com.a:http/é';
const checked = { family: 'm', qualifier: '\0v', value };

describe('calls have the same bytes as those of the official package', () => {
  it.each<[string, Call<unknown>, ThriftValue]>([
    [
      'getMultiple',
      getMultiple(
        't',
        ['a', 'é'],
        { columns: [{ family: 'm' }, { family: 'l', qualifier: 'o' }], filter: "F('')" },
        asText(),
      ),
      struct(
        [1, binary('t')],
        [
          2,
          structs(
            ...['a', 'é'].map((row) =>
              struct([1, binary(row)], [2, structs(column('m'), column('l', 'o'))], [6, binary("F('')")]),
            ),
          ),
        ],
      ),
    ],
    [
      'getScannerResults',
      getScannerResults(
        't',
        { start: Buffer.from('a'), end: Buffer.from('b') },
        { columns: [{ family: 'm' }] },
        70_000,
        asText(),
      ),
      struct(
        [1, binary('t')],
        [
          2,
          struct(
            [1, binary('a')],
            [2, binary('b')],
            [3, structs(column('m'))],
            [4, { i32: 70_000 }],
            [15, { i32: 70_000 }],
          ),
        ],
        [3, { i32: 70_000 }],
      ),
    ],
    ['putMultiple', putMultiple('t', [{ key, cells, at: tick }], 1), struct([1, binary('t')], [2, structs(put)])],
    [
      'deleteMultiple',
      deleteMultiple('t', [{ key: 'a', at: tick }]),
      struct([1, binary('t')], [2, structs(struct([1, binary('a')], [3, { i64: tick }], [4, { i32: 1 }]))]),
    ],
    ['mutateRow', mutateRow('t', key, mutations, 1), struct([1, binary('t')], [2, officialMutations])],
    [
      'checkAndMutate',
      checkAndMutate('t', key, checked, mutations),
      struct(
        [1, binary('t')],
        [2, binary(key)],
        [3, binary('m')],
        [4, binary('\0v')],
        [5, { i32: 2 }],
        [6, binary(value)],
        [7, officialMutations],
      ),
    ],
    [
      'checkAndPut',
      checkAndPut('t', key, checked, { cells, at: tick }),
      struct([1, binary('t')], [2, binary(key)], [3, binary('m')], [4, binary('\0v')], [5, binary(value)], [6, put]),
    ],
    [
      'createTable',
      createTable('ns:crawl_meta', [described], ['04', '08']),
      struct(
        [1, struct([1, table], [2, structs(family)])],
        [2, { list: [binary('04'), binary('08')], of: TYPES.binary }],
      ),
    ],
    ['addColumnFamily', addColumnFamily('ns:crawl_meta', described), struct([1, table], [2, family])],
    ['tableExists', tableExists('ns:crawl_meta'), struct([1, table])],
  ])('%s', (method, call, body) => {
    expect(encodeCall(call, 7)).toEqual(officialFrame(method, KINDS.call, 7, body));
  });

  it('for any key, value and tick', () => {
    const bytes = fc.uint8Array({ maxLength: 2000 }).map((array) => Buffer.from(array));
    const ticks = fc.maxSafeNat();
    const rows = fc.array(fc.record({ key: fc.string({ unit: 'binary' }), value: bytes, tick: ticks }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(rows, fc.nat(0x7fffffff), (given, sequence) => {
        const puts = given.map((row) => ({
          ...row,
          at: row.tick,
          cells: [{ family: 'm', qualifier: row.key, value: row.value }],
        }));
        const official = given.map((row) =>
          struct([1, binary(row.key)], [2, structs(cell('m', row.key, row.value))], [3, { i64: row.tick }]),
        );
        const expected = officialFrame(
          'putMultiple',
          KINDS.call,
          sequence,
          struct([1, binary('t')], [2, structs(...official)]),
        );
        expect(encodeCall(putMultiple('t', puts, 1), sequence)).toEqual(expected);
      }),
      { seed: SEED, numRuns: 200 },
    );
  });
});

describe('answers of the official package are read', () => {
  const row = struct(
    [1, binary('a')],
    [2, structs(struct([1, binary('m')], [2, binary('st')], [3, binary('1')], [4, { i64: tick }], [6, { byte: 4 }]))],
    [3, { bool: false }],
  );
  const call = getMultiple('t', ['a', 'b'], { columns: [] }, asText());
  const answer = (body: ThriftValue, kind = KINDS.reply): Buffer =>
    officialFrame('getMultiple', kind, 7, body).subarray(4);

  it('rows, and a missing one', () => {
    const frame = answer(struct([0, structs(row, struct([2, structs()]))]));
    expect(decodeResponse(frame, call, 7)).toEqual({ kind: 'value', value: [`a; m st 1 ${tick}`, 'none'] });
  });

  it('unknown fields of every type are skipped', () => {
    const unknown: (readonly [number, ThriftValue])[] = [
      [90, { bool: true }],
      [91, { byte: 1 }],
      [92, { i16: 1 }],
      [93, { i32: 1 }],
      [94, { i64: 1 }],
      [95, { double: 1.5 }],
      [96, binary('x')],
      [97, struct([1, { list: [{ i32: 1 }], of: TYPES.i32 }])],
      [98, { set: [{ i16: 1 }], of: TYPES.i16 }],
      [99, { map: [[binary('k'), { i64: 1 }]], of: [TYPES.binary, TYPES.i64] }],
    ];
    const odd = struct(
      ...unknown,
      [1, binary('a')],
      [2, structs(struct([1, binary('m')], [2, binary('q')], [3, binary('v')], ...unknown))],
    );
    const frame = answer(struct(...unknown.map(([, field], i) => [20 + i, field] as const), [0, structs(odd, odd)]));
    expect(decodeResponse(frame, call, 7)).toMatchObject({ value: ['a; m q v 0', 'a; m q v 0'] });
  });

  it('regions, in order of their keys', () => {
    const region = (start: string): ThriftValue =>
      struct(
        [1, struct([1, binary('host')], [2, { i32: 1 }])],
        [2, struct([1, { i64: 1 }], [2, binary('t')], [3, binary(start)])],
      );
    const frame = officialFrame(
      'getAllRegionLocations',
      KINDS.reply,
      1,
      struct([0, structs(region(''), region('08'))]),
    );
    expect(decodeResponse(frame.subarray(4), getAllRegionLocations('t'), 1)).toEqual({
      kind: 'value',
      value: ['', '08'],
    });
  });

  it('errors of a gateway', () => {
    const io = struct([1, struct([1, binary('java.io.IOException: no')], [2, { bool: true }])]);
    expect(decodeResponse(answer(io), call, 7)).toEqual({
      kind: 'declared',
      id: 1,
      message: 'java.io.IOException: no',
    });
    const failed = struct([1, binary('Internal error')], [2, { i32: 6 }]);
    expect(decodeResponse(answer(failed, KINDS.exception), call, 7)).toEqual({
      kind: 'application',
      type: 6,
      message: 'Internal error',
    });
  });

  it.each<[string, Buffer]>([
    ['to another call', officialFrame('getMultiple', KINDS.reply, 8, struct([0, structs(row, row)])).subarray(4)],
    ['of another method', officialFrame('getMultipl', KINDS.reply, 7, struct([0, structs(row, row)])).subarray(4)],
    ['without a value', answer(struct())],
    ['with too few rows', answer(struct([0, structs(row)]))],
    ['with a value of another type', answer(struct([0, { bool: true }]))],
    ['with a list of something else', answer(struct([0, { list: [{ i32: 1 }, { i32: 2 }], of: TYPES.i32 }]))],
    ['that is a call', answer(struct([0, structs(row, row)]), KINDS.call)],
    ['of nothing', Buffer.alloc(0)],
    [
      'with a cell that has no value',
      answer(struct([0, structs(struct([1, binary('a')], [2, structs(column('m', 'q'))]), row)])),
    ],
  ])('an answer %s is rejected', (_, frame) => {
    expect(() => decodeResponse(frame, call, 7)).toThrow(expect.objectContaining({ name: 'ThriftError' }));
  });

  it('is rejected if cut at any place, and read or rejected after a change of any byte', () => {
    const frame = answer(struct([0, structs(row, row)]));
    for (let length = 0; length < frame.length; length++) {
      expect(() => decodeResponse(frame.subarray(0, length), call, 7)).toThrow(
        expect.objectContaining({ name: 'ThriftError' }),
      );
    }
    const bytes = fc.array(fc.tuple(fc.nat(frame.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(bytes, (changes) => {
        const broken = Buffer.from(frame);
        for (const [at, byte] of changes) broken[at] = byte;
        try {
          decodeResponse(broken, call, 7);
        } catch (error) {
          expect(error).toMatchObject({ name: 'ThriftError' });
        }
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('values that are nested too deeply are rejected', () => {
    let deep: ThriftValue = { i32: 1 };
    for (let i = 0; i < 40; i++) deep = struct([1, deep]);
    const reader = new BinaryReader(officialFrame('x', 1, 1, deep).subarray(17));
    expect(() => reader.skip(TYPES.struct)).toThrow('at most 16 deep');
  });
});

describe('frames', () => {
  it('are joined from any chunks', () => {
    const frame = (size: number): Buffer =>
      Buffer.concat([Buffer.from([0, 0, size >> 8, size & 255]), Buffer.alloc(size, size)]);
    const stream = Buffer.concat([3, 0, 700, 1].map(frame));
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
        const frames = new Frames(1000);
        const at = [0, ...cuts.sort((a, b) => a - b), stream.length];
        const found = at.slice(1).flatMap((end, i) => frames.add(stream.subarray(at[i], end)));
        expect(found.map(({ length }) => length)).toEqual([3, 0, 700, 1]);
        expect(frames.isWithinFrame).toBe(false);
      }),
      { seed: SEED },
    );
  });

  it.each([
    ['HTTP/1.1 400 Bad Request\r\n', 'an HTTP server'],
    ['\x80\x01\x00\x02\x00\x00\x00\x01a', 'one without'],
    ['\xff\xff\xff\xff', 'of another kind'],
    ['\x00\x00\x10\x00', 'at most 1000 bytes'],
  ])('%j is rejected', (text, message) => {
    expect(() => new Frames(1000).add(Buffer.from(text, 'latin1'))).toThrow(message);
  });
});
