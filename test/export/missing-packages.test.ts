import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('names each missing package with the command that installs it, and leaves nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-missing-'));
  try {
    const worker = fileURLToPath(new URL('missing-packages.mjs', import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [worker, folder], {
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: folder },
    });
    expect(stdout, stderr).not.toBe('');
    expect(JSON.parse(stdout)).toEqual({
      parquet: 'MISSING_PACKAGE: npm install hyparquet-writer',
      xlsx: 'MISSING_PACKAGE: npm install fflate',
      graph: 'MISSING_PACKAGE: npm install hyparquet-writer',
      wacz: 'MISSING_PACKAGE: npm install client-zip',
      chunks:
        'MISSING_PACKAGE: npm install mdast-util-to-markdown mdast-util-gfm-table mdast-util-gfm-strikethrough mdast-util-math',
      markdown:
        'MISSING_PACKAGE: npm install mdast-util-to-markdown mdast-util-gfm-table mdast-util-gfm-strikethrough mdast-util-math',
      markdownFiles:
        'MISSING_PACKAGE: npm install mdast-util-to-markdown mdast-util-gfm-table mdast-util-gfm-strikethrough mdast-util-math',
      s3: 'MISSING_PACKAGE: npm install @aws-sdk/client-s3 @aws-sdk/lib-storage',
      openSearchWriter: 'MISSING_PACKAGE: npm install @opensearch-project/opensearch',
      openSearchReader: 'MISSING_PACKAGE: npm install @opensearch-project/opensearch',
      metrics: 'MISSING_PACKAGE: npm install prom-client',
    });
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
