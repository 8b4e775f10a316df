import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('names each package that is missing with the line that installs it, and leaves nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-missing-'));
  try {
    const worker = fileURLToPath(new URL('missing-packages.mjs', import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [worker, folder], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: folder },
    });
    expect(stdout, stderr).not.toBe('');
    expect(JSON.parse(stdout)).toEqual({
      parquet: 'USAGE: npm install hyparquet-writer',
      graph: 'USAGE: npm install hyparquet-writer',
      wacz: 'USAGE: npm install client-zip',
      chunks: 'USAGE: npm install node-html-markdown',
      markdown: 'USAGE: npm install node-html-markdown',
      s3: 'USAGE: npm install @aws-sdk/client-s3 @aws-sdk/lib-storage',
    });
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
