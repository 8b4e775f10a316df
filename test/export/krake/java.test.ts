import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { exportKrake } from '../../../packages/webcrawl/internal.js';
import { withTable } from '../../support/export/archive-table.js';
import { expectedKrake, fillKrake } from '../../support/export/krake-table.js';

const READER = fileURLToPath(new URL('ReadKrake.java', import.meta.url));
const hasJava = spawnSync('java', ['-version']).status === 0;

test.skipIf(!hasJava)('a reader in Java finds every node, source and link', async () => {
  await withTable(async (crawl, folder) => {
    await fillKrake(crawl);
    const output = join(folder, 'out');
    await exportKrake(crawl, { output });
    const { stdout, stderr, status } = spawnSync('java', [READER, output], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const expected = expectedKrake().map(({ key, inlinks, outlinks, source }, node) => {
      const hex = source === undefined ? '-' : Buffer.from(source).toString('hex');
      return `${node} ${key} in:${inlinks.join(',')} out:${outlinks.join(',')} ${hex}`;
    });
    expect(stdout.trimEnd().split('\n')).toEqual(expected);
  });
});
