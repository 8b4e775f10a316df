import { expect, test } from 'vitest';
import { openWriterThread } from '../../packages/index/writing/writer-thread.js';

test('a writer that does not answer is ended after its signal has aborted', async () => {
  const place = { writer: 'opensearch', url: 'http://localhost:9200/pages' } as const;
  const stop = new AbortController();
  const opening = openWriterThread(place, 'a table', new URL('silent-writer.mjs', import.meta.url), stop.signal);
  stop.abort();
  await expect(opening).rejects.toMatchObject({ code: 'STORE_FAILED' });
}, 60_000);
