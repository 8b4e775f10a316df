import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openContext, serve, status } from '../../packages/webcrawl/internal.js';

vi.mock('libsql', () => {
  throw new Error('not installed');
});

test('a server without the package of its index names it in every place', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-without-'));
  const builtin = vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => undefined);
  try {
    await mkdir(join(folder, 'table', 'index'), { recursive: true });
    await writeFile(join(folder, 'table', 'index', 'index.sqlite'), '');
    await using crawl = await openContext({ table: join(folder, 'table') });
    const logged: unknown[] = [];
    await using served = await serve(crawl, { port: 0, onError: (error) => logged.push(error) });
    const ask = async (path: string) => {
      const answer = await fetch(new URL(path, served.url));
      return [answer.status, await answer.text()] as const;
    };
    const line = 'npm install libsql, or use Node 24';
    for (const path of ['/search?q=a', '/api/search?q=a', '/api/suggest?q=a', '/healthz']) {
      expect(await ask(path), path).toEqual([503, expect.stringContaining(line)]);
    }
    expect((await ask('/api/search?q=a'))[1]).toContain('"code":"MISSING_PACKAGE"');
    expect(await ask('/')).toEqual([200, expect.stringContaining(line)]);
    expect(await ask('/dashboard')).toEqual([200, expect.stringContaining('Dashboard')]);
    expect(await status(crawl)).toMatchObject({ indexProblem: { code: 'MISSING_PACKAGE', hint: line } });
    expect(logged).toMatchObject([{ code: 'MISSING_PACKAGE' }]);
  } finally {
    builtin.mockRestore();
    await rm(folder, { recursive: true });
  }
}, 60_000);
