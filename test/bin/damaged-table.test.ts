import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../bin/run.js';
import { ERROR_CODES } from '../../packages/errors/index.js';
import { fileDigests } from '../support/files/file-digests.js';
import { ROOT } from '../support/docs/source-files.js';
import { testIo } from './test-io.js';

const ROWS = 3000;
let folder: string;
let table: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-damaged-'));
  table = join(folder, 'table');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function webcrawl(...args: readonly string[]) {
  const io = testIo();
  const code = await run([...args, '--table', `level:${table}`], io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

test(
  'no command changes a table without its CURRENT file, and repair --files repairs it',
  { timeout: 120_000 },
  async () => {
    const seeds = join(folder, 'seeds.txt');
    await writeFile(seeds, Array.from({ length: ROWS }, (_, i) => `http://example.com/${i}`).join('\n'));
    expect((await webcrawl('inject', seeds)).code).toBe(0);
    await rm(join(table, 'hot', 'CURRENT'));
    const before = await fileDigests(table);

    for (const verb of [
      ['readdb', '--stats'],
      ['readdb', '--dump'],
      ['explain', 'http://example.com/1'],
      ['inject', seeds],
      ['generate'],
      ['fetch', '--all'],
      ['parse', '--all'],
      ['updatedb', '--all'],
      ['crawl', 'http://example.com/'],
      ['repair'],
    ]) {
      const { code, out, err } = await webcrawl(...verb);
      expect([verb, code, out]).toEqual([verb, ERROR_CODES.TABLE_DAMAGED.exitCode, '']);
      expect(err).toContain('hot/CURRENT is missing');
      expect(err).toContain('repair --files');
    }
    const planned = await webcrawl('repair', '--files');
    expect(planned).toMatchObject({ code: 0, err: '' });
    expect(planned.out).toContain('hot/CURRENT is missing; rebuilt from its files');
    expect(await fileDigests(table)).toEqual(before);

    const repaired = await webcrawl('repair', '--files', '--yes', '--json');
    expect(repaired.code).toBe(0);
    expect(JSON.parse(repaired.out)).toMatchObject({ counters: { rows: ROWS }, files: { done: true } });
    const { out } = await webcrawl('readdb', '--stats', '--json');
    expect(JSON.parse(out)).toMatchObject({ total: ROWS, lostBodies: 0 });
  },
);

test.skipIf(process.platform === 'win32')('a deleted working directory is reported as such', async () => {
  const command = join(ROOT, 'dist/bin/webcrawl.js');
  if (!existsSync(command)) throw new Error('dist is missing: run `npm test`, or `npm run build` before vitest');
  const script = 'mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" "$3" readdb --stats';
  const child = spawn('sh', ['-c', script, 'sh', join(folder, 'gone'), process.execPath, command]);
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(err).toContain('error [BAD_INPUT]: the working directory was deleted');
  expect(code).toBe(ERROR_CODES.BAD_INPUT.exitCode);
});
