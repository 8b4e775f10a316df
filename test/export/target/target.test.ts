import { createHash } from 'node:crypto';
import * as disk from 'node:fs/promises';
import { mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeTarget, type TargetOptions, type WrittenTarget } from '../../../packages/export/index.js';
import type { TargetFiles } from '../../../packages/export/target/files.js';
import { marksOfGone } from '../../support/process-marks.js';
import { failingDisk } from './failing-disk.js';
import { testFolder } from '../../support/files/temp-folder.js';

let folder: string;
beforeEach(() => void (folder = testFolder()));

const ROWS = Array.from({ length: 40 }, (_, i) => `row ${i} ${'x'.repeat(i % 7)}\n`);
type Options = Partial<TargetOptions> & { readonly rows?: readonly string[]; readonly stopAt?: number };

/** Writes rows to a file. */
function writeFileTarget(name: string, { rows = ROWS, stopAt, ...options }: Options = {}): Promise<WrittenTarget> {
  return writeTarget(
    join(folder, name),
    { kind: 'file', about: { format: 'test' }, clock: () => 0, ...options },
    async (target) => {
      const part = await target.part(name);
      for (const [i, row] of rows.entries()) {
        if (i === stopAt) return 'stopped';
        await part.write(row, 1);
      }
      return { note: 'done' };
    },
  );
}

/** The same into a folder, with five rows per part, and into a scratch part that is not visible. */
function writeFolderTarget(name: string, { rows = ROWS, stopAt, ...options }: Options = {}): Promise<WrittenTarget> {
  return writeTarget(
    join(folder, name),
    { kind: 'folder', about: { format: 'test' }, clock: () => 0, ...options },
    async (target) => {
      await (await target.scratch('meanwhile')).write('unsorted');
      for (let i = 0; i < rows.length; i += 5) {
        if (i === stopAt) return 'stopped';
        const part = await target.part(`sub/${i}.txt`);
        for (const row of rows.slice(i, i + 5)) await part.write(row, 1);
        await part.end();
      }
      return { note: 'done' };
    },
  );
}

/** All files below the folder, except the locks of dead processes. */
async function tree(): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.slice(folder.length + 1)] = await readFile(path, 'utf8');
  }
  return found;
}

/** Removes the locks, as if this process had been killed. */
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
  it('is complete, with a manifest', async () => {
    const written = await write('out', { clock: () => Date.UTC(2026, 0, 5) });
    const text = ROWS.join('');
    expect(written).toMatchObject({ complete: true, rows: 40, bytes: text.length, restarted: false });
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

  it('that dies at any step is complete, or starts again with the present rows and says so; nothing is left beside it', async () => {
    const old = ROWS.map((row) => `old ${row}`);
    await write('out', { rows: old });
    const wholeOld = await tree();
    const count = failingDisk(Infinity);
    await write('out', { files: count.files, force: true });
    const whole = await tree();
    let restarted = 0;
    for (let step = 1; step <= count.steps(); step += 1) {
      await rm(folder, { recursive: true });
      await mkdir(folder);
      await write('out', { rows: old, files: failingDisk(step).files }).catch(() => undefined);
      await dropLocks();
      const again = await write('out').catch((error: unknown) => {
        // Only its manifest was missing, or a file was left beside it.
        expect(String(error), `step ${step}`).toContain('already exists');
      });
      expect(await tree(), `step ${step}`).toEqual(again ? whole : wholeOld);
      if (again?.restarted) restarted += 1;
    }
    expect(restarted).toBeGreaterThan(5);
  });

  it('leaves the old one as it was until it is replaced, wherever it dies', async () => {
    const rows = ROWS.map((row) => `new ${row}`);
    await write('out', { rows, about: { format: 'other' } });
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
      const options = { rows, about: { format: 'other' }, force: true };
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

  it('leaves nothing after a stop', async () => {
    expect(await write('out', { stopAt: 25 })).toMatchObject({ complete: false, rows: 0 });
    expect(await readdir(folder)).toEqual([]);
    const controller = new AbortController();
    const { signal } = controller;
    const path = join(folder, 'out');
    const stopped = await writeTarget(path, { kind, about: {}, clock: () => 0, signal }, () => {
      controller.abort();
      signal.throwIfAborted();
      return Promise.resolve({});
    });
    expect(stopped).toMatchObject({ complete: false });
    expect(await readdir(folder)).toEqual([]);
    expect(await write('out')).toMatchObject({ complete: true, restarted: false });
  });

  it('rejects a target that exists, is of the other kind, or belongs to another program', async () => {
    await write('out');
    const before = await tree();
    await expect(write('out')).rejects.toMatchObject({ code: 'BAD_OUTPUT', hint: '--force replaces it' });
    const other = kind === 'file' ? writeFolderTarget : writeFileTarget;
    await expect(other('out', { force: true })).rejects.toMatchObject({
      code: 'BAD_OUTPUT',
      message: expect.stringContaining(`is a ${kind}`) as string,
    });
    expect(await tree()).toEqual(before);
    await mkdir(join(folder, 'home'));
    await writeFile(join(folder, 'home/thesis'), 'text');
    for (const force of [false, true]) {
      await expect(write('home', { force })).rejects.toMatchObject({
        code: 'BAD_OUTPUT',
        hint: expect.stringMatching(kind === 'folder' ? /^--force replaces only an export/ : /./) as string,
      });
    }
    expect(await readFile(join(folder, 'home/thesis'), 'utf8')).toBe('text');
    await expect(write('none/out')).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
  });

  it('rejects in advance a target that cannot get its name at the end, and leaves nothing', async () => {
    let isBegun = false;
    const begin = (path: string): Promise<WrittenTarget> =>
      writeTarget(path, { kind, about: {}, force: true, clock: () => 0 }, () => {
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

  it('does not replace a target that appeared meanwhile', async () => {
    const late = writeTarget(
      join(folder, 'out'),
      { kind, about: { format: 'late' }, clock: () => 0 },
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

  it('reports a full disk, and leaves only the target', async () => {
    await write('out', { rows: ['old\n'] });
    const before = await tree();
    const full = failingDisk(kind === 'file' ? 1 : 4, { code: 'ENOSPC', only: /appendFile|writeFile/ });
    await expect(write('out', { files: full.files, force: true })).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(await tree()).toEqual(before);
  });

  it('reports a full disk even if no file can be closed or removed, and then lets others write', async () => {
    const full = Object.assign(new Error('no room'), { code: 'EDQUOT' });
    let isFull = true;
    let isBegun = false;
    const files: TargetFiles = {
      ...disk,
      async open(path, flags) {
        const handle = await disk.open(path, flags);
        const close = handle.close.bind(handle);
        handle.close = () =>
          close().then(() => (isFull && path.toString().includes('/parts/') ? Promise.reject(full) : undefined));
        if (path.toString().includes('/parts/')) handle.appendFile = () => Promise.reject(full);
        return handle;
      },
      rm: (path, options) =>
        isFull && path.toString().endsWith('/parts') && isBegun ? Promise.reject(full) : disk.rm(path, options),
    };
    const run = writeTarget(join(folder, 'out'), { kind, about: {}, clock: () => 0, files }, async (target) => {
      isBegun = true;
      const part = await target.part('out');
      await part.write('row', 1);
      await part.end();
      return {};
    });
    await expect(run).rejects.toMatchObject({ code: 'STORE_FULL' });
    isFull = false;
    expect(await write('out')).toMatchObject({ complete: true, restarted: true });
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('removes what an earlier version has left of a killed export', async () => {
    const staging = join(folder, '.out.part');
    await mkdir(join(staging, 'parts'), { recursive: true });
    await writeFile(join(staging, 'parts/out'), 'half');
    await writeFile(join(staging, 'journal'), '{"kind":"file"}\n');
    expect(await write('out')).toMatchObject({ complete: true });
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('replaces with force only what an export has written', async () => {
    const mine = kind === 'file' ? 'mine' : 'mine/thesis';
    if (kind === 'folder') await mkdir(join(folder, 'mine'));
    await writeFile(join(folder, mine), 'text');
    const refused = { code: 'BAD_OUTPUT', hint: expect.stringContaining('replaces only an export') as string };
    await expect(write('mine', { force: true })).rejects.toMatchObject(refused);
    expect(await readFile(join(folder, mine), 'utf8')).toBe('text');
    await write('out');
    if (kind === 'file') {
      // A user has added a file beside the manifest.
      await writeFile(join(folder, 'out'), 'mine');
      await expect(write('out', { force: true })).rejects.toMatchObject(refused);
    }
  });

  it('names a missing folder, and rejects the working directory', async () => {
    await expect(write('none/out')).rejects.toMatchObject({
      message: `no folder ${join(folder, 'none')}`,
      hint: `mkdir -p ${join(folder, 'none')}`,
    });
    for (const path of ['.', '..', '/']) {
      const run = writeTarget(path, { kind, about: {}, force: true, clock: () => 0 }, () => Promise.resolve({}));
      await expect(run, path).rejects.toMatchObject({
        code: 'BAD_OUTPUT',
        message: expect.stringContaining('name of a') as string,
      });
    }
  });

  it('is refused while another one goes to the same target, and allowed after that has died', async () => {
    let inner: unknown;
    await writeTarget(join(folder, 'out'), { kind, about: {}, clock: () => 0 }, async () => {
      inner = await write('out').catch((error: unknown) => error);
      return 'stopped';
    });
    expect(inner).toMatchObject({
      code: 'BAD_OUTPUT',
      message: expect.stringContaining('is running in this process') as string,
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

  it('is written in its own folder, never through a link, and removes only its own files', async () => {
    await mkdir(join(folder, 'precious'));
    await writeFile(join(folder, 'precious/thesis'), 'text');
    const staging = join(folder, '.out.part');
    for (const led of ['precious', 'nothing']) {
      await symlink(join(folder, led), staging);
      await expect(write('out'), led).rejects.toMatchObject({
        code: 'BAD_OUTPUT',
        message: `${staging} is a symbolic link`,
      });
      await rm(staging);
    }
    await mkdir(staging);
    await writeFile(join(staging, 'mine'), 'text');
    expect(await write('out')).toMatchObject({ complete: true });
    expect(await tree()).toMatchObject({ 'precious/thesis': 'text', '.out.part/mine': 'text' });
  });

  it('notices in advance that its manifest has too long a name', async () => {
    let isCalled = false;
    const long = writeTarget(join(folder, 'n'.repeat(245)), { kind, about: {}, force: true, clock: () => 0 }, () => {
      isCalled = true;
      return Promise.resolve('stopped');
    });
    if (kind === 'folder') return void (await long);
    await expect(long).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
    expect(isCalled).toBe(false);
  });
});

describe('an export to standard output', () => {
  it('is written as it is made', async () => {
    const chunks: Uint8Array[] = [];
    const written = await writeTarget(
      '-',
      {
        kind: 'file',
        about: {},
        clock: () => 0,
        stdout: (data) => {
          chunks.push(data);
          return Promise.resolve();
        },
      },
      async (target) => {
        const part = await target.part('any');
        for (const row of ROWS) await part.write(row, 1);
        return {};
      },
    );
    expect(Buffer.concat(chunks).toString()).toBe(ROWS.join(''));
    expect(written).toMatchObject({ complete: true, rows: 40, bytes: ROWS.join('').length });
    expect(await tree()).toEqual({});
  });

  it('is rejected if there would be many files', async () => {
    const folders = { kind: 'folder', about: {}, clock: () => 0 } as const;
    await expect(writeTarget('-', folders, () => Promise.resolve({}))).rejects.toMatchObject({ code: 'USAGE' });
  });
});
