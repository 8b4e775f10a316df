import { expect, test } from 'vitest';
import { surt } from '../../../packages/export/public.js';
import { zippedIndex } from '../../../packages/export/warc/export-wacz.js';

test('the index of the blocks has complete keys and times, also for a key with a brace', async () => {
  const key = surt('https://example.com/%7Bid%7D/{x}');
  expect(key).toBe('com,example)/{id}/{x}');
  const lines = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(`${key} 20260105090000 {"url": "https://example.com/%7Bid%7D/{x}"}\n`);
  };
  const { blocks, idx } = zippedIndex(lines(), 'index.cdx.gz');
  for await (const block of blocks) expect(block.length).toBeGreaterThan(0);
  expect(idx().split('\n')[1]).toMatch(/^com,example\)\/\{id\}\/\{x\} 20260105090000 \{"offset": 0, "length": \d+, /);
});
