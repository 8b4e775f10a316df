import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { CrawlError } from '../../packages/errors/index.js';
import { createThreadClient } from '../../packages/index/threads/thread-client.js';
import { openWriterThread } from '../../packages/index/index.js';
import { suiteFolder } from '../support/files/temp-folder.js';

interface Calls {
  echo(value: unknown): unknown;
}

const folder = suiteFolder();

async function moduleOf(name: string, body: string): Promise<URL> {
  const path = join(folder, name);
  await writeFile(
    path,
    `import { parentPort } from 'node:worker_threads';\nparentPort.on('message', (call) => {${body}});`,
  );
  return pathToFileURL(path);
}

const ended = (reason: string): CrawlError => new CrawlError('STORE_FAILED', reason);

test('a call that cannot be cloned is rejected, and the next ones get their own answers', async () => {
  const entry = await moduleOf('echo.mjs', 'parentPort.postMessage({ value: call.args[0] });');
  const client = createThreadClient<Calls>({ entry, data: undefined, ended });
  expect(await client.call('echo', 1)).toBe(1);
  await expect(client.call('echo', () => 2)).rejects.toThrow('cloned');
  expect(await Promise.all([client.call('echo', 3), client.call('echo', 4)])).toEqual([3, 4]);
  await client.end();
});

test('a writer whose thread has ended starts no other thread', async () => {
  const entry = await moduleOf(
    'writer.mjs',
    `if (call.name === 'apply') process.exit(1);
     parentPort.postMessage({ value: { id: 'an id', isWhole: true } });`,
  );
  const writer = await openWriterThread({ writer: 'sqlite', folder }, 'a table', entry);
  expect([writer.id, writer.isWhole]).toEqual(['an id', true]);
  const failed = { code: 'STORE_FAILED', message: expect.stringContaining('the thread that writes') as string };
  await expect(writer.apply([])).rejects.toMatchObject(failed);
  await expect(writer.markWhole()).rejects.toMatchObject(failed);
  await expect(writer.entries(undefined, 1)).rejects.toMatchObject(failed);
  await writer.close();
});
