import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeTarget, type TargetOptions, type WrittenTarget } from '../../../packages/export/index.js';
import { marksOfGone } from '../../support/process-marks.js';
import { failingDisk } from './failing-disk.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-target-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const ROWS = Array.from({ length: 40 }, (_, i) => `row ${i} ${'x'.repeat(i % 7)}\n`);
type Options = Partial<TargetOptions> & { readonly rows?: readonly string[]; readonly stopAt?: number };

/** Writes rows to a file, with a checkpoint after every fourth. */
function writeFileTarget(name: string, { rows = ROWS, stopAt, ...options }: Options = {}): Promise<WrittenTarget> {
  return writeTarget(
    join(folder, name),
    { kind: 'file', identity: { format: 'test' }, clock: () => 0, ...options },
    async (target) => {
      const part = await target.part(name);
      for (let i = part.rows; i < rows.length; i += 1) {
        if (i === stopAt) return 'stopped';
        await part.write(rows[i]!, 1);
        if (part.rows % 4 === 0) await target.checkpoint({ lastKey: String(i) });
      }
      return { note: 'done' };
    },
  );
}

/** The same into a folder: five rows a part, a checkpoint after every second part. */
function writeFolderTarget(name: string, { rows = ROWS, stopAt, ...options }: Options = {}): Promise<WrittenTarget> {
  return writeTarget(
    join(folder, name),
    { kind: 'folder', identity: { format: 'test' }, clock: () => 0, ...options },
    async (target) => {
      const next = Number(target.resumed?.lastKey ?? -1) + 1;
      for (let i = next; i < rows.length; i += 5) {
        if (i === stopAt) return 'stopped';
        const part = await target.part(`sub/${i}.txt`);
        for (const row of rows.slice(i, i + 5)) await part.write(row, 1);
        await part.end();
        if (i % 2 === 1) await target.checkpoint({ lastKey: String(i + 4) });
      }
      return { note: 'done' };
    },
  );
}

/** Everything under the folder, but the locks of processes that died. */
async function tree(): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.slice(folder.length + 1)] = await readFile(path, 'utf8');
  }
  return found;
}

/** What a kill of this process would leave of its locks: files of a process that is gone. */
async function dropLocks(): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name.startsWith('lock.')) await rm(join(entry.parentPath, entry.name));
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe.each([
  ['file', writeFileTarget],
  ['folder', writeFolderTarget],
] as const)('an export to a %s', (kind, write) => {
  it('is there when all of it is, with a manifest', async () => {
    const written = await write('out', { clock: () => Date.UTC(2026, 0, 5) });
    const text = ROWS.join('');
    expect(written).toMatchObject({ complete: true, rows: 40, bytes: text.length, kept: { rows: 0 } });
    const found = await tree();
    const manifest = JSON.parse(found[kind === 'file' ? 'out.manifest.json' : 'out/manifest.json']!) as {
      parts: { name: string; rows: number; bytes: number; sha256: string }[];
    };
    expect(manifest).toMatchObject({
      webcrawl: expect.any(String) as string,
      format: 'test',
      note: 'done',
      began: '2026-01-05T00:00:00.000Z',
      rows: 40,
      bytes: text.length,
      partCount: kind === 'file' ? 1 : 8,
    });
    for (const { name, bytes, sha256: digest } of manifest.parts) {
      const data = found[kind === 'file' ? name : `out/${name}`]!;
      expect([bytes, digest]).toEqual([data.length, sha256(data)]);
    }
    expect(Object.keys(found)).toHaveLength(manifest.parts.length + 1);
  });

  it('ends in the same bytes when it dies at any step and is run again', async () => {
    await write('out');
    const whole = await tree();
    const count = failingDisk(Infinity);
    await write('out', { files: count.files, force: true });
    expect(await tree()).toEqual(whole);
    for (let step = 1; step <= count.steps(); step += 1) {
      await rm(folder, { recursive: true });
      await mkdir(folder);
      await write('out', { files: failingDisk(step).files }).catch(() => undefined);
      await dropLocks();
      // Where only the clean-up failed the export is there already, and cannot be made again.
      const isThere = Object.keys(await tree()).join() === Object.keys(whole).join();
      if (!isThere) expect(await write('out'), `step ${step}`).toMatchObject({ complete: true, rows: 40 });
      expect(await tree(), `step ${step}`).toEqual(whole);
    }
  });

  it('leaves the old one as it was until it is replaced, at whatever step it dies', async () => {
    const rows = ROWS.map((row) => `new ${row}`);
    await write('out', { rows, identity: { format: 'other' } });
    const whole = await tree();
    await write('out', { force: true });
    const old = await tree();
    const count = failingDisk(Infinity);
    await write('out', { files: count.files, force: true });
    let replaced = 0;
    for (let step = 1; step <= count.steps(); step += 1) {
      await rm(folder, { recursive: true });
      await mkdir(folder);
      await write('out');
      const options = { rows, identity: { format: 'other' }, force: true };
      await write('out', { ...options, files: failingDisk(step).files }).catch(() => undefined);
      const between = Object.entries(await tree()).filter(([name]) => !name.startsWith('.'));
      const isOld = between.every(([name, text]) => old[name] === text);
      const isNew = between.every(([name, text]) => whole[name] === text);
      if (isNew) replaced += 1;
      expect(isOld || isNew, `step ${step}: ${between.map(([name]) => name).join()}`).toBe(true);
      await dropLocks();
      expect(await write('out', options)).toMatchObject({ complete: true, rows: 40 });
      expect(await tree(), `step ${step}`).toEqual(whole);
    }
    expect(replaced).toBeGreaterThan(0);
  });

  it('keeps what was whole when it is stopped, and nothing of another export', async () => {
    expect(await write('out', { stopAt: 25 })).toMatchObject({ complete: false });
    expect(Object.keys(await tree()).every((name) => name.startsWith('.out.part/'))).toBe(true);
    expect(await write('out', { stopAt: 35 })).toMatchObject({
      complete: false,
      kept: { rows: 20 + (kind === 'file' ? 4 : 0) },
    });
    expect(await write('out', { identity: { format: 'other' }, stopAt: 35 })).toMatchObject({ kept: { rows: 0 } });
    const last = await write('out', { identity: { format: 'other' } });
    expect(last).toMatchObject({ complete: true, rows: 40 });
    expect(last.kept.rows).toBeGreaterThan(20);
    expect(Object.keys(await tree()).some((name) => name.startsWith('.'))).toBe(false);
  });

  it('keeps nothing of an earlier run whose files are not as they were', async () => {
    await write('out', { stopAt: 25 });
    const staged = Object.keys(await tree()).find((name) => name.includes('/parts/'))!;
    await writeFile(join(folder, staged), '');
    expect(await write('out')).toMatchObject({ complete: true, rows: 40, kept: { rows: 0 } });
  });

  it('refuses a target that is there, of the other kind, or another’s', async () => {
    await write('out');
    const before = await tree();
    await expect(write('out')).rejects.toMatchObject({ code: 'BAD_OUTPUT', hint: '--force replaces it' });
    const other = kind === 'file' ? writeFolderTarget : writeFileTarget;
    await expect(other('out', { force: true })).rejects.toMatchObject({
      code: 'BAD_OUTPUT',
      message: expect.stringContaining(`found a ${kind}`) as string,
    });
    expect(await tree()).toEqual(before);
    await mkdir(join(folder, 'home'));
    await writeFile(join(folder, 'home/thesis'), 'text');
    await expect(write('home', { force: true })).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
    expect(await readFile(join(folder, 'home/thesis'), 'utf8')).toBe('text');
    await expect(write('none/out')).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
  });

  it('refuses before it begins what cannot get its name at the end, and leaves nothing', async () => {
    let isBegun = false;
    const begin = (path: string): Promise<WrittenTarget> =>
      writeTarget(path, { kind, identity: {}, force: true, clock: () => 0 }, () => {
        isBegun = true;
        return Promise.resolve({});
      });
    await symlink('nowhere', join(folder, 'dangling'));
    await mkdir(join(folder, 'real'));
    await symlink('real', join(folder, 'linked'));
    const before = await readdir(folder);
    for (const path of ['dangling', 'linked', ...(kind === 'file' ? ['new/'] : [])].map((n) => `${folder}/${n}`)) {
      await expect(begin(path), path).rejects.toMatchObject({
        code: 'BAD_OUTPUT',
        hint: expect.stringContaining('name') as string,
      });
    }
    expect(isBegun).toBe(false);
    expect(await readdir(folder)).toEqual(before);
  });

  it('does not replace what came to be there meanwhile', async () => {
    const blocked = write('out', {
      identity: { format: 'test' },
      clock: () => 0,
      rows: ROWS,
    });
    await blocked;
    await rm(join(folder, 'out'), { recursive: true });
    await rm(join(folder, 'out.manifest.json'), { force: true });
    const late = writeTarget(
      join(folder, 'out'),
      { kind, identity: { format: 'late' }, clock: () => 0 },
      async (target) => {
        await (await target.part('out')).write('late', 1);
        if (kind === 'file') await writeFile(join(folder, 'out'), 'mine');
        else {
          await mkdir(join(folder, 'out'));
          await writeFile(join(folder, 'out/mine'), 'mine');
        }
        return {};
      },
    );
    await expect(late).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
    expect(await readFile(join(folder, kind === 'file' ? 'out' : 'out/mine'), 'utf8')).toBe('mine');
  });

  it('says of a full disk that it is full, leaves the target, and goes on later', async () => {
    await write('out', { rows: ['old\n'] });
    const before = await tree();
    const full = failingDisk(kind === 'file' ? 8 : 12, { code: 'ENOSPC', only: /appendFile|writeFile/ });
    await expect(write('out', { files: full.files, force: true })).rejects.toMatchObject({ code: 'STORE_FULL' });
    const after = await tree();
    for (const [name, text] of Object.entries(before)) expect(after[name]).toBe(text);
    const { rows, kept } = await write('out', { force: true });
    expect(rows).toBe(40);
    expect(kept.rows).toBeGreaterThan(0);
  });

  it('replaces with force only what an export has made', async () => {
    const mine = kind === 'file' ? 'mine' : 'mine/thesis';
    if (kind === 'folder') await mkdir(join(folder, 'mine'));
    await writeFile(join(folder, mine), 'text');
    const refused = { code: 'BAD_OUTPUT', hint: expect.stringContaining('only what an export has made') as string };
    await expect(write('mine', { force: true })).rejects.toMatchObject(refused);
    expect(await readFile(join(folder, mine), 'utf8')).toBe('text');
    await write('out');
    if (kind === 'file') {
      // Somebody has written something of his own there since, beside the manifest.
      await writeFile(join(folder, 'out'), 'mine');
      await expect(write('out', { force: true })).rejects.toMatchObject(refused);
    }
  });

  it('is made anew with force where an earlier one was killed when all was in its place', async () => {
    const count = failingDisk(Infinity);
    await write('count', { files: count.files });
    const isAllThere = async (): Promise<boolean> => {
      const names = Object.keys(await tree());
      const manifest = kind === 'file' ? 'out.manifest.json' : 'out/manifest.json';
      return names.includes(manifest) && names.some((name) => name.startsWith('.out.part/journal'));
    };
    // The last step behind which its staging is still there.
    for (let failAt = count.steps(); failAt > 0 && !(await isAllThere()); failAt--) {
      for (const name of ['out', 'out.manifest.json', '.out.part']) {
        await rm(join(folder, name), { recursive: true, force: true });
      }
      await write('out', { files: failingDisk(failAt).files }).catch(() => undefined);
      await dropLocks();
    }
    expect(await isAllThere()).toBe(true);
    const rows = ROWS.slice(0, 10);
    const again = await write('out', { force: true, rows });
    expect(again).toMatchObject({ complete: true, rows: 10 });
    expect(again.finished).toBeUndefined();
  });

  it('is stopped by the reason of its signal, and goes on from its last checkpoint', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const checkpoint = 'at';
    const stopped = await writeTarget(
      join(folder, 'out'),
      { kind, identity: {}, clock: () => 0, signal },
      async (target) => {
        await target.checkpoint({ lastKey: checkpoint });
        controller.abort();
        signal.throwIfAborted();
        return {};
      },
    );
    expect(stopped).toMatchObject({ complete: false });
    let found: string | undefined;
    await writeTarget(join(folder, 'out'), { kind, identity: {}, clock: () => 0 }, async (target) => {
      found = target.resumed?.lastKey;
      await (await target.part('out')).end();
      return {};
    });
    expect(found).toBe(checkpoint);
  });

  it('keeps nothing of a run of another origin, which the manifest does not name', async () => {
    await write('out', { stopAt: 25, origin: { table: 'a' } });
    expect(await write('out', { stopAt: 35, origin: { table: 'b' } })).toMatchObject({ kept: { rows: 0 } });
    const { kept } = await write('out', { origin: { table: 'b' } });
    expect(kept.rows).toBeGreaterThan(20);
    expect((await tree())[kind === 'file' ? 'out.manifest.json' : 'out/manifest.json']).not.toContain('"table"');
  });

  it('names a folder that is missing, and refuses the one it runs in', async () => {
    await expect(write('none/out')).rejects.toMatchObject({
      message: `expected a folder at ${join(folder, 'none')}, found none`,
      hint: `mkdir -p ${join(folder, 'none')}`,
    });
    for (const path of ['.', '..', '/']) {
      const run = writeTarget(path, { kind, identity: {}, force: true, clock: () => 0 }, () => Promise.resolve({}));
      await expect(run, path).rejects.toMatchObject({
        code: 'BAD_OUTPUT',
        message: expect.stringContaining('name of a') as string,
      });
    }
  });

  it('is refused while another one goes to the same target, and not after that has died', async () => {
    let inner: unknown;
    await writeTarget(join(folder, 'out'), { kind, identity: {}, clock: () => 0 }, async () => {
      inner = await write('out').catch((error: unknown) => error);
      return 'stopped';
    });
    expect(inner).toMatchObject({
      code: 'BAD_OUTPUT',
      message: expect.stringContaining('found one of this process') as string,
    });
    const staging = join(folder, '.out.part');
    for (const mark of await marksOfGone()) {
      await mkdir(staging, { recursive: true });
      await writeFile(join(staging, `lock.${mark}`), '');
      expect(await write('out', { force: true }), mark).toMatchObject({ complete: true });
    }
    await mkdir(staging, { recursive: true });
    await writeFile(join(staging, 'lock.7.1.a.abcdef'), '');
    await expect(write('out', { force: true })).rejects.toMatchObject({
      hint: expect.stringContaining('lock.7.1.a.abcdef') as string,
    });
  });

  it('is made in a folder of its own, never through a link, and removes nothing that is not its own', async () => {
    await mkdir(join(folder, 'precious'));
    await writeFile(join(folder, 'precious/thesis'), 'text');
    const staging = join(folder, '.out.part');
    for (const led of ['precious', 'nothing']) {
      await symlink(join(folder, led), staging);
      await expect(write('out'), led).rejects.toMatchObject({
        code: 'BAD_OUTPUT',
        message: `expected a folder or nothing at ${staging}, found a symbolic link`,
      });
      await rm(staging);
    }
    await mkdir(staging);
    await writeFile(join(staging, 'mine'), 'text');
    expect(await write('out')).toMatchObject({ complete: true });
    expect(await tree()).toMatchObject({ 'precious/thesis': 'text', '.out.part/mine': 'text' });
  });

  it('takes no notice of a journal that no export has written, and removes nothing that such a one names', async () => {
    await write('out');
    const whole = await tree();
    await writeFile(join(folder, 'victim'), 'text');
    const part = { name: 'out', rows: 1, bytes: 1 };
    const edits: readonly unknown[] = [
      null,
      [1],
      { begin: '../../victim' },
      { begin: `${folder}/victim` },
      { begin: '../scratch/../../victim' },
      { begin: 5 },
      { open: 5, checkpoint: {} },
      { open: [null], checkpoint: {} },
      { open: [{ ...part, name: '../../victim' }], checkpoint: {} },
      { open: [{ ...part, rows: -1 }], checkpoint: {} },
      { done: [part], checkpoint: {} },
      { done: 'all', checkpoint: {} },
      { checkpoint: { lastKey: 5 } },
      { commit: 7 },
    ];
    for (const edit of edits) {
      await rm(join(folder, 'out'), { recursive: true });
      await rm(join(folder, 'out.manifest.json'), { force: true });
      await mkdir(join(folder, '.out.part/parts'), { recursive: true });
      const head = JSON.stringify({ kind, identity: { format: 'test', origin: null } });
      await writeFile(join(folder, '.out.part/journal'), `${head}\n${JSON.stringify(edit)}\n`);
      const line = JSON.stringify(edit);
      expect(await write('out'), line).toMatchObject({ complete: true, rows: 40 });
      expect(await tree(), line).toEqual({ ...whole, victim: 'text' });
    }
  });

  it('begins anew where a power failure has taken parts of an export that was about to be put in its place', async () => {
    await write('out');
    const whole = await tree();
    const [data] = Object.keys(whole).filter((name) => !name.endsWith('manifest.json'));
    const staged = join(folder, '.out.part/parts', kind === 'file' ? 'out' : data!.slice('out/'.length));
    for (const loss of [(path: string) => rm(path), (path: string) => writeFile(path, '')]) {
      await rm(folder, { recursive: true });
      await mkdir(folder);
      await write('out', { files: failingDisk(1, { only: /^(rename|link)$/ }).files }).catch(() => undefined);
      await dropLocks();
      await loss(staged);
      expect(await write('out')).toMatchObject({ complete: true, rows: 40 });
      expect(await tree()).toEqual(whole);
    }
  });

  it('finds out that its manifest cannot be named before it writes anything', async () => {
    let isCalled = false;
    const long = writeTarget(join(folder, 'n'.repeat(245)), { kind, identity: {}, force: true, clock: () => 0 }, () => {
      isCalled = true;
      return Promise.resolve('stopped');
    });
    if (kind === 'folder') return void (await long);
    await expect(long).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
    expect(isCalled).toBe(false);
  });
});

describe('an export to standard output', () => {
  it('goes there as it is made', async () => {
    const chunks: Uint8Array[] = [];
    const written = await writeTarget(
      '-',
      {
        kind: 'file',
        identity: {},
        clock: () => 0,
        stdout: (data) => {
          chunks.push(data);
          return Promise.resolve();
        },
      },
      async (target) => {
        const part = await target.part('any');
        for (const row of ROWS) await part.write(row, 1);
        await target.checkpoint({ lastKey: 'x' });
        return {};
      },
    );
    expect(Buffer.concat(chunks).toString()).toBe(ROWS.join(''));
    expect(written).toMatchObject({ complete: true, rows: 40, bytes: ROWS.join('').length });
    expect(await tree()).toEqual({});
  });

  it('is refused where there would be many files', async () => {
    const folders = { kind: 'folder', identity: {}, clock: () => 0 } as const;
    await expect(writeTarget('-', folders, () => Promise.resolve({}))).rejects.toMatchObject({ code: 'USAGE' });
  });
});
