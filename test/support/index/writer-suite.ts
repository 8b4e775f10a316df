import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { IndexDocument, IndexWriter } from '../../../packages/plugin-api/index.js';
import { madeDocument } from './made-index.js';

const FETCHED = 1_700_000_000_000;

function fingerprintOf(n: number, text: string): string {
  return createHash('sha256').update(`${n} ${text}`).digest('base64url').slice(0, 22);
}

/** A document by its number. Its fingerprint is made from its text. */
export function numbered(n: number, more: Partial<IndexDocument> = {}): IndexDocument {
  const text = more.text ?? `text of page ${n}`;
  return {
    ...madeDocument({ url: `http://example.com/${String(n).padStart(5, '0')}`, title: `Page ${n}`, text }),
    fetchedAt: FETCHED,
    rank: 0.5,
    fingerprint: fingerprintOf(n, text),
    ...more,
  };
}

/** Adding that document, as a change. */
export const put = (n: number, more?: Partial<IndexDocument>) =>
  ({ type: 'put', document: numbered(n, more) }) as const;
/** Its key. */
export const keyOf = (n: number): string => numbered(n).key;

/**
 * Checks what every writer must do: add, replace, touch and remove documents, count its changes, change nothing the second time, keep
 * everything, and return documents in key order.
 * @param open opens the same index each time
 */
export async function checkWriter(open: () => Promise<IndexWriter>): Promise<void> {
  let writer = await open();
  expect(writer.isWhole).toBe(false);
  const { id } = writer;
  expect(id).toMatch(/^[\w-]{20,}$/);
  expect(await writer.entries(undefined, 10)).toEqual([]);
  const long = `com.example:http/${'long'.repeat(400)}`;
  const first = [
    put(3),
    put(1),
    put(2),
    put(4, { fetchedAt: 0, rank: 0 }),
    put(5, { key: long, text: 'lone \ud800 surrogate "\u2028' }),
  ];
  expect(await writer.apply([])).toEqual({ added: 0, changed: 0, removed: 0 });
  expect(await writer.apply(first)).toEqual({ added: 5, changed: 0, removed: 0 });
  expect(await writer.apply(first)).toEqual({ added: 0, changed: 0, removed: 0 });
  const second = [
    put(2, { text: 'other words', rank: 0.25 }),
    { type: 'remove', key: keyOf(1) },
    { type: 'touch', key: keyOf(3), rank: 0.75, fetchedAt: FETCHED + 5 },
    { type: 'touch', key: keyOf(9), rank: 1, fetchedAt: 5 },
    { type: 'remove', key: keyOf(8) },
    put(4, { fetchedAt: FETCHED, rank: 0 }),
  ] as const;
  expect(await writer.apply(second)).toEqual({ added: 0, changed: 3, removed: 1 });
  expect(await writer.apply(second)).toEqual({ added: 0, changed: 0, removed: 0 });
  const expected = [
    { key: keyOf(2), rank: 0.25, fetchedAt: FETCHED, fingerprint: fingerprintOf(2, 'other words') },
    { key: keyOf(3), rank: 0.75, fetchedAt: FETCHED + 5, fingerprint: fingerprintOf(3, 'text of page 3') },
    { key: keyOf(4), rank: 0, fetchedAt: FETCHED, fingerprint: fingerprintOf(4, 'text of page 4') },
    { key: long, rank: 0.5, fetchedAt: FETCHED, fingerprint: numbered(5, first[4]!.document).fingerprint },
  ];
  expect(await writer.entries(undefined, 10)).toEqual(expected);
  await writer.close();

  writer = await open();
  expect(writer.isWhole).toBe(false);
  expect(await writer.entries(undefined, 3)).toEqual(expected.slice(0, 3));
  expect(await writer.entries(expected[2]!.key, 3)).toEqual(expected.slice(3));
  expect(await writer.apply([put(1), { type: 'remove', key: long }])).toEqual({ added: 1, changed: 0, removed: 1 });
  await writer.markWhole();
  expect(writer.isWhole).toBe(true);
  expect((await writer.entries(undefined, 10)).map(({ key }) => key)).toEqual([1, 2, 3, 4].map(keyOf));
  await writer.close();
  writer = await open();
  expect([writer.isWhole, writer.id]).toEqual([true, id]);
  expect((await writer.entries(keyOf(1), 1)).map(({ key }) => key)).toEqual([keyOf(2)]);
  await writer.close();
}
