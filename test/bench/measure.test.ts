import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyTable } from '../../bench/lib/cached-table.js';
import { bytesOnDisk, measure } from '../../bench/lib/measure.js';

let work: string;

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'webcrawl-bench-test-'));
});

afterAll(async () => {
  await rm(work, { recursive: true, force: true });
});

describe('measure', () => {
  it('returns the unchanged output, and the figures', async () => {
    const script = `process.stderr.write('noise'); console.log(process.env.WORD + process.cwd())`;
    const found = await measure(process.execPath, ['-e', script], { cwd: work, env: { WORD: 'at ' } });
    expect(found.stdout).toBe(`at ${work}\n`);
    expect(found.seconds).toBeGreaterThan(0);
    expect(found.cpuSeconds).toBeGreaterThan(0);
  });

  it('counts the time of children', async () => {
    const burn = `const end = process.cpuUsage().user + 300000; while (process.cpuUsage().user < end);`;
    const parent = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(burn)}])`;
    const { cpuSeconds } = await measure(process.execPath, ['-e', parent]);
    expect(cpuSeconds).toBeGreaterThanOrEqual(0.3);
  });

  it.runIf(process.platform === 'linux')('counts the memory of children', async () => {
    const hold = `const held = Buffer.alloc(150 << 20, 1); setTimeout(() => held, 800)`;
    const parent = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(hold)}])`;
    const { peakMb } = await measure(process.execPath, ['-e', parent]);
    expect(peakMb).toBeGreaterThan(150);
  });

  it('fails with the error output of the command', async () => {
    const script = `for (let i = 0; i < 50; i++) console.error('line ' + i); process.exitCode = 3`;
    const failed = measure(process.execPath, ['-e', script]);
    await expect(failed).rejects.toThrow(/ended with 3: line 0\n[^]*line 49$/);
    await expect(measure('no-such-command-here', [])).rejects.toThrow(/ended with 127/);
  });
});

describe('bytesOnDisk', () => {
  it('counts blocks of files in all folders, and 0 for a missing folder', async () => {
    const folder = join(work, 'sizes');
    await mkdir(join(folder, 'a/b'), { recursive: true });
    await writeFile(join(folder, 'one'), 'x');
    await writeFile(join(folder, 'a/b/two'), Buffer.alloc(4097));
    expect(await bytesOnDisk(folder)).toBe(3 * 4096);
    expect(await bytesOnDisk(join(work, 'missing'))).toBe(0);
  });
});

describe('copyTable', () => {
  it('replaces the target by all files but the lock; the source stays the same when the copy is written', async () => {
    const [from, to] = [join(work, 'from'), join(work, 'to')];
    await mkdir(join(from, 'hot'), { recursive: true });
    await mkdir(to);
    await writeFile(join(to, 'old'), '');
    for (const name of ['000005.ldb', '000006.log', 'CURRENT', 'LOCK']) await writeFile(join(from, 'hot', name), name);
    await copyTable(from, to);
    await writeFile(join(to, 'hot/000006.log'), 'more', { flag: 'a' });
    await rm(join(to, 'hot/000005.ldb'));
    expect(await readFile(join(from, 'hot/000006.log'), 'utf8')).toBe('000006.log');
    expect(await readFile(join(from, 'hot/000005.ldb'), 'utf8')).toBe('000005.ldb');
    await expect(readFile(join(to, 'hot/LOCK'))).rejects.toThrow('ENOENT');
    await expect(readFile(join(to, 'old'))).rejects.toThrow('ENOENT');
  });
});
