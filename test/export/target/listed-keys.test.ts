import { expect, it } from 'vitest';
import { listedKeys, type ListedPage } from '../../../packages/export/target/s3/s3-store.js';

async function keysOf(read: (token: string | undefined) => ListedPage): Promise<{ keys: number; error?: unknown }> {
  let keys = 0;
  try {
    for await (const _ of listedKeys('bucket', async (token) => read(token))) keys += 1;
    return { keys };
  } catch (error) {
    return { keys, error };
  }
}

it('reads page after page to the last one, also after empty ones', async () => {
  const pages: Readonly<Record<string, ListedPage>> = {
    '': { Contents: [{ Key: 'a' }, { Key: 'b' }], NextContinuationToken: '1' },
    '1': { NextContinuationToken: '2' },
    '2': { Contents: [{ Key: 'c' }] },
  };
  expect(await keysOf((token = '') => pages[token]!)).toEqual({ keys: 3 });
});

it.each<[string, (n: number) => ListedPage, number]>([
  ['names the same page again', () => ({ Contents: [{ Key: 'a' }], NextContinuationToken: 'same' }), 2],
  ['brings no objects', (n) => ({ NextContinuationToken: String(n) }), 0],
  ['brings objects for ever', (n) => ({ Contents: [{ Key: `${n}` }], NextContinuationToken: String(n) }), 10_000],
])('ends a listing that %s', async (_, page, keys) => {
  let n = 0;
  const found = await keysOf(() => page((n += 1)));
  expect(found).toMatchObject({ keys, error: { code: 'BAD_OUTPUT' } });
});
