import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openContext, serve, status } from '../../packages/webcrawl/internal.js';
import { runLine } from '../bin/test-io.js';
import { freshFolder } from '../support/files/temp-folder.js';

vi.mock('libsql', () => {
  throw new Error('not installed');
});
vi.mock('../../packages/errors/optional-package.js', async () => {
  const { CrawlError } = await import('../../packages/errors/crawl-error.js');
  return { optionalPackage: (spec: string) => Promise.reject(new CrawlError('MISSING_PACKAGE', spec)) };
});

const folder = freshFolder();
const line = 'npm install libsql, or use Node 24';

beforeEach(() => void vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

test('a server without the package of its index names it in every place', async () => {
  await mkdir(join(folder, 'table', 'index'), { recursive: true });
  await writeFile(join(folder, 'table', 'index', 'index.sqlite'), '');
  await using crawl = await openContext({ table: join(folder, 'table') });
  const logged: unknown[] = [];
  await using served = await serve(crawl, { port: 0, onError: (error) => logged.push(error) });
  const ask = async (path: string) => {
    const answer = await fetch(new URL(path, served.url));
    return [answer.status, await answer.text()] as const;
  };
  for (const path of ['/search?q=a', '/api/search?q=a', '/api/suggest?q=a', '/healthz']) {
    expect(await ask(path), path).toEqual([503, expect.stringContaining(line)]);
  }
  expect((await ask('/api/search?q=a'))[1]).toContain('"code":"MISSING_PACKAGE"');
  expect(await ask('/')).toEqual([200, expect.stringContaining(line)]);
  expect(await ask('/dashboard')).toEqual([200, expect.stringContaining('Dashboard')]);
  expect(await status(crawl)).toMatchObject({ indexProblem: { code: 'MISSING_PACKAGE', hint: line } });
  expect(logged).toMatchObject([{ code: 'MISSING_PACKAGE' }]);
});

const SEED = 'http://127.0.0.1:9/';
test.each([
  ['crawl', SEED, '--serve', '--port', '0'],
  ['crawl', SEED, '--serve', '--port', '0', '--set', 'index.writer=opensearch', '--set', `index.url=${SEED}index`],
  ['audit', SEED, '-o', join(folder, 'report.xlsx')],
])('%s %s %s without its package ends before it prints or creates anything', async (...args) => {
  const { code, out, err } = await runLine(['--table', join(folder, 'table'), ...args]);
  expect([code, out]).toEqual([69, '']);
  expect(err).toMatch(/^error \[MISSING_PACKAGE\]: /);
  expect(await readdir(folder)).toEqual([]);
});
