import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as sdk from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { exportPages, jobs } from '../../../packages/webcrawl/internal.js';
import { writeTarget, type TargetOptions, type WrittenTarget } from '../../../packages/export/index.js';
import { testCrawl } from '../../support/test-crawl.js';
import { hasPython, python } from '../programs/python.js';
import { PARTS, madeBytes, writeMade } from './made-export.mjs';
import { openGate, startMoto, type Gate, type Moto } from './moto.js';

const WORKER = fileURLToPath(new URL('s3-worker.mjs', import.meta.url));
const LONG = 300_000;
const KEYS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: '', AWS_PROFILE: '' };

const folder = await mkdtemp(join(tmpdir(), 'webcrawl-s3-'));
let moto: Moto;
let gate: Gate;
let client: sdk.S3Client;
let bucket: string;
let count = 0;

/** Sets the environment variables of the AWS SDK and the exports. */
function stubEnv(endpoint: string): void {
  for (const [name, value] of Object.entries({ ...KEYS, AWS_ENDPOINT_URL_S3: endpoint, TMPDIR: folder })) {
    vi.stubEnv(name, value === '' ? undefined : value);
  }
}

const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Every object of the bucket with its digest. */
async function objects(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const { Contents = [] } = await client.send(new sdk.ListObjectsV2Command({ Bucket: bucket }));
  for (const { Key } of Contents) found[Key!] = sha256(await body(Key!));
  return found;
}

async function body(key: string): Promise<Uint8Array> {
  const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key }));
  return Body!.transformToByteArray();
}

async function put(key: string, text: string): Promise<void> {
  await client.send(new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: text }));
}

/** Uploads that were begun and never ended. */
async function openUploads(): Promise<number> {
  const { Uploads = [] } = await client.send(new sdk.ListMultipartUploadsCommand({ Bucket: bucket }));
  return Uploads.length;
}

function write(name: string, options: Partial<TargetOptions> = {}): Promise<WrittenTarget> {
  return writeTarget(
    `s3://${bucket}/${name}`,
    { kind: 'folder', about: { format: 'test' }, clock: Date.now, ...options },
    writeMade,
  );
}

/** Writes one small part with this text. */
function writeText(name: string, text: string, options: Partial<TargetOptions> = {}): Promise<WrittenTarget> {
  return writeTarget(
    `s3://${bucket}/${name}`,
    { kind: 'file', about: { format: 'test' }, clock: Date.now, ...options },
    async (target) => {
      const part = await target.part('any');
      await part.write(text, 1);
      await part.end();
      return {};
    },
  );
}

/** Another export into a folder. */
function writeOld(name: string): Promise<WrittenTarget> {
  return writeTarget(`s3://${bucket}/${name}`, { kind: 'folder', about: {}, clock: Date.now }, async (target) => {
    const part = await target.part('old.bin');
    await part.write('old');
    await part.end();
    return {};
  });
}

const DATA = Object.fromEntries(Object.entries(PARTS).map(([name, size]) => [name, sha256(madeBytes(name, size))]));
const under = (prefix: string): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(DATA).map(([name, digest]) => [`${prefix}/${name}`, digest])),
  [`${prefix}/manifest.json`]: expect.any(String) as unknown,
});

describe.skipIf(!hasPython('moto'))('an export to an S3-compatible store', { timeout: LONG }, () => {
  beforeAll(async () => {
    moto = await startMoto();
    gate = await openGate(moto.url);
    stubEnv(moto.url);
    client = new sdk.S3Client({ forcePathStyle: true, region: 'us-east-1' });
  }, LONG);
  beforeEach(async () => {
    stubEnv(gate.url);
    gate.fate = () => 'through';
    count += 1;
    bucket = `exports-${count}`;
    await client.send(new sdk.CreateBucketCommand({ Bucket: bucket }));
  }, LONG);
  afterEach(async () => {
    vi.unstubAllEnvs();
    expect(await readdir(folder)).toEqual([]);
  });
  afterAll(async () => {
    client.destroy();
    await gate[Symbol.asyncDispose]();
    await moto[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('uploads every part, the manifest last, and leaves nothing on this disk', async () => {
    const asked: string[] = [];
    gate.fate = ({ method, url = '' }) => {
      if (method === 'PUT' || method === 'DELETE') asked.push(`${method} ${url.replace(/\?.*/, '')}`);
      return 'through';
    };
    const uploads: number[] = [];
    const written = await write('a/b', { onUpload: (bytes) => uploads.push(bytes) });
    expect(written).toMatchObject({ complete: true, parts: 4, rows: 4, bytes: 9_001_020 });
    expect(await objects()).toEqual(under('a/b'));
    const manifest = JSON.parse(Buffer.from(await body('a/b/manifest.json')).toString()) as { parts: object[] };
    expect(manifest.parts).toEqual(
      Object.entries(PARTS).map(([name, bytes]) => ({ name, rows: 1, bytes, sha256: DATA[name] })),
    );
    const place = `/${bucket}/a/b`;
    expect(asked[0]).toBe(`PUT ${place}/manifest.json.part`);
    expect(asked.slice(-2)).toEqual([`PUT ${place}/manifest.json`, `DELETE ${place}/manifest.json.part`]);
    expect(uploads.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(9_001_020);
  });

  it('exports pages, as a file and as Parquet that another program reads from the store', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: ['http://a.com/', 'http://b.com/'] });
    const output = `s3://${bucket}/deep/pages.jsonl.gz`;
    const { counters } = await exportPages(crawl, { output, all: true });
    expect(counters).toMatchObject({ rows: 2, uploaded_bytes: expect.any(Number) as number });
    expect(Object.keys(await objects())).toEqual(['deep/pages.jsonl.gz', 'deep/pages.jsonl.gz.manifest.json']);
    await expect(exportPages(crawl, { output })).rejects.toMatchObject({ hint: '--force replaces it' });
    await exportPages(crawl, { output: `s3://${bucket}/parquet`, format: 'parquet', fields: ['title'], all: true });
    if (!hasPython('pyarrow')) return;
    const read = python([
      '-c',
      `import pyarrow.fs as f, pyarrow.parquet as p
store = f.S3FileSystem(access_key='test', secret_key='test', endpoint_override='${moto.url}', region='us-east-1')
print(p.read_table('${bucket}/parquet/part-00000.parquet', filesystem=store).column('url').to_pylist())`,
    ]);
    expect(read).toMatchObject({ status: 0, out: "['http://a.com/', 'http://b.com/']\n" });
  });

  it('replaces with force only what an export has written, and nothing beside it', async () => {
    await put('mine/thesis', 'text');
    await put('mine.txt', 'text');
    for (const force of [false, true]) {
      await expect(write('mine', { force })).rejects.toMatchObject({
        code: 'BAD_OUTPUT',
        message: expect.stringContaining('has other objects, not an export') as string,
      });
      await expect(writeText('mine.txt', 'other', { force })).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
    }
    await writeOld('out');
    await put('out/note', 'mine');
    await put('out2/old.bin', 'of another');
    await expect(write('out')).rejects.toMatchObject({ hint: '--force replaces it' });
    expect(Object.keys(await objects())).toContain('out/old.bin');
    await write('out', { force: true });
    const found = await objects();
    expect(found).toEqual({
      ...under('out'),
      'mine/thesis': sha256(Buffer.from('text')),
      'mine.txt': sha256(Buffer.from('text')),
      'out/note': sha256(Buffer.from('mine')),
      'out2/old.bin': sha256(Buffer.from('of another')),
    });
    await writeText('file.txt', 'one');
    await expect(writeText('file.txt', 'two')).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
    await writeText('file.txt', 'two', { force: true });
    expect(Buffer.from(await body('file.txt')).toString()).toBe('two');
  });

  it('reports what is wrong with a bucket, a key, an endpoint and a name', async () => {
    const fails = (output: string) =>
      writeTarget(output, { kind: 'file', about: {}, clock: Date.now }, () => Promise.reject(new Error('begun')));
    const message = (text: string) => expect.stringContaining(text) as string;
    await expect(fails('s3://no-such-bucket/x')).rejects.toMatchObject({
      code: 'BAD_OUTPUT',
      message: message('no bucket of this name'),
    });
    for (const output of ['s3://', `s3://${bucket}`, `s3://${bucket}/x/`, `s3://${bucket}//x`, `s3://${bucket}/../x`]) {
      await expect(fails(output), output).rejects.toMatchObject({ code: 'USAGE', message: message('expected s3://') });
    }
    stubEnv('http://127.0.0.1:1');
    await expect(fails('s3://any/x')).rejects.toMatchObject({ message: message('a store that cannot be reached') });
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'none'));
    await expect(fails('s3://any/x')).rejects.toMatchObject({ message: message('no key for the store') });
    await using strict = await startMoto({ INITIAL_NO_AUTH_ACTION_COUNT: '0' });
    stubEnv(strict.url);
    await expect(fails('s3://any/x')).rejects.toMatchObject({
      message: message('a key that the store does not accept'),
    });
  });

  it('states what to do if the connection to the store breaks, and uploads everything the next time', async () => {
    gate.fate = ({ method, url = '' }) => (method === 'PUT' && url.includes('partNumber=2') ? 'broken' : 'through');
    await expect(write('out')).rejects.toMatchObject({
      code: 'BAD_OUTPUT',
      hint: expect.stringContaining('run the same command again') as string,
    });
    const half = Object.keys(await objects());
    expect(half).toContain('out/manifest.json.part');
    expect(half).not.toContain('out/manifest.json');
    expect(await openUploads()).toBe(0);
    gate.fate = () => 'through';
    expect(await write('out')).toMatchObject({ complete: true, parts: 4 });
    expect(await objects()).toEqual(under('out'));
  });

  it('writes no manifest if another machine has begun an export to the same place meanwhile', async () => {
    await write('shared');
    const other = { Key: 'shared/manifest.json.part', Metadata: { 'webcrawl-export': 'other' }, Body: 'other' };
    let begun: Promise<unknown> | undefined;
    gate.fate = ({ method }) => {
      // The old manifest is deleted after the own marker is written, and before the first upload.
      if (method === 'DELETE') begun ??= client.send(new sdk.PutObjectCommand({ Bucket: bucket, ...other }));
      return 'through';
    };
    await expect(write('shared', { force: true })).rejects.toMatchObject({
      code: 'BAD_OUTPUT',
      message: expect.stringContaining('has begun since this one began') as string,
    });
    await begun;
    expect(Object.keys(await objects())).not.toContain('shared/manifest.json');
    expect(await openUploads()).toBe(0);
  });

  it('stops in the middle of an upload on an abort', async () => {
    const controller = new AbortController();
    gate.fate = ({ method, url = '' }) => {
      if (method === 'PUT' && url.includes('partNumber=2')) controller.abort();
      return 'through';
    };
    expect(await write('out', { signal: controller.signal })).toMatchObject({ complete: false });
    expect(Object.keys(await objects())).not.toContain('out/manifest.json');
    expect(await openUploads()).toBe(0);
  });

  /**
   * Runs the export in another process, which is killed at its n-th request that changes something; returns the number of such requests.
   */
  async function killedAt(n: number, name: string, options: object): Promise<number> {
    let changes = 0;
    const args = [WORKER, `s3://${bucket}/${name}`, JSON.stringify({ kind: 'folder', about: {}, ...options })];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
    gate.fate = ({ method }) => {
      if (method !== 'GET' && method !== 'HEAD') changes += 1;
      if (changes === n) child.kill('SIGKILL');
      return 'through';
    };
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      child.on('close', (code, signal) => resolve([code, signal]));
    });
    gate.fate = () => 'through';
    if (code !== 0 && signal !== 'SIGKILL') throw new Error(errors);
    return changes;
  }

  it('after a kill at any request ends in the same bytes, also when it replaces another export', async () => {
    const changes = await killedAt(Infinity, 'whole', {});
    expect(changes).toBeGreaterThan(8);
    for (let n = 1; n <= changes; n += 1) {
      const name = `killed-${n}`;
      const replaces = n % 2 === 0;
      if (replaces) await writeOld(name);
      await killedAt(n, name, { force: replaces });
      // After a kill behind the manifest, the export is complete.
      await write(name, { about: {}, force: replaces }).catch((error: unknown) => {
        expect(String(error)).toContain('already exists');
      });
      const found = Object.entries(await objects()).filter(([key]) => key.startsWith(`${name}/`));
      expect(Object.fromEntries(found)).toEqual(under(name));
      expect(await openUploads()).toBe(0);
    }
  });
});
