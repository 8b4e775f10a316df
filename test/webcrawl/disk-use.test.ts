import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diskUseOf } from '../../packages/webcrawl/disk-use.js';

it('counts each file once, by part, and is never negative while files appear and disappear', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-disk-'));
  try {
    for (const path of ['.', 'content/a', 'index', 'other/index']) {
      await mkdir(join(folder, path), { recursive: true });
      await writeFile(join(folder, path, 'file'), 'x'.repeat(path.length * 10));
    }
    expect(await diskUseOf(folder)).toEqual({ table: 10 + 110, content: 90, index: 50 });
    expect(await diskUseOf(join(folder, 'none'))).toEqual({ table: 0, content: 0, index: 0 });

    let isDone = false;
    const churn = (async () => {
      for (let i = 0; i < 300; i += 1) {
        const path = join(folder, 'content', `x${i}`);
        await mkdir(path);
        await writeFile(join(path, 'file'), 'x'.repeat(10_000));
        await rm(path, { recursive: true });
      }
      isDone = true;
    })();
    while (!isDone) {
      const { table, content, index } = await diskUseOf(folder);
      expect([table, index]).toEqual([120, 50]);
      expect(content).toBeGreaterThanOrEqual(90);
    }
    await churn;
  } finally {
    await rm(folder, { recursive: true });
  }
}, 60_000);
