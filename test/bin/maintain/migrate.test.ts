import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ERROR_CODES } from '../../../packages/errors/index.js';
import { openContext } from '../../../packages/webcrawl/internal.js';
import { requireCommand, startCommand, type Ended } from '../../support/command-process.js';
import { makeOldTable } from '../../support/versions/old-table.js';

let folder: string;
let table: string;
beforeAll(requireCommand);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-migrate-'));
  table = join(folder, 'table');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (...args: readonly string[]): Promise<Ended> => startCommand(folder, args).ended;

test('a table of an earlier version is refused with a hint, backed up, migrated, and read', async () => {
  const held = await makeOldTable(table, 300);
  for (const args of [['readdb', '--stats'], ['status'], ['compact'], ['crawl', 'http://a.example.com/']]) {
    const { code, err } = await run(...args);
    expect([code, err]).toEqual([
      ERROR_CODES.TABLE_VERSION.exitCode,
      expect.stringContaining(
        'hint: make a backup (`webcrawl backup`), then run `webcrawl migrate` with the same --table',
      ),
    ]);
  }
  expect(await run('backup', join(folder, 'backups'))).toMatchObject({ code: 0 });

  const { code, out, err } = await run('migrate');
  expect([code, out]).toEqual([0, '']);
  // On a slow machine, a line of progress precedes it.
  expect(err).toMatch(
    /^migrate: [^,;]*\n +batches +1\n +released +\d+\n +rows +300\n +texts +30\nThe table has layout 8 now; it had 7\.\n$/m,
  );
  const again = await run('migrate');
  expect(again).toMatchObject({ code: 0, err: expect.stringContaining('The table already has layout 8.') as string });
  const stats = await run('readdb', '--stats', '--json');
  expect(JSON.parse(stats.out)).toMatchObject({ total: 300 });

  const [name] = await readdir(join(folder, 'backups'));
  const old = join(folder, 'backups', name!);
  const migrated = await startCommand(folder, ['migrate', '--json', '-q'], { table: old }).ended;
  expect(JSON.parse(migrated.out)).toMatchObject({ job: 'migrate', from: 7, to: 8, counters: { released: held } });
  expect(migrated.err).toBe('');
});

test('it needs the table for itself, and waits for it with --wait', async () => {
  await makeOldTable(table, 10);
  const other = await openContext({ table }, { migrates: true });
  expect(await run('migrate')).toMatchObject({ code: ERROR_CODES.TABLE_LOCKED.exitCode });
  const { child, ended } = startCommand(folder, ['migrate', '--wait', '60']);
  const waiting = new Promise((resolve) => child.stderr.once('data', resolve));
  await waiting;
  await other.close();
  expect(await ended).toMatchObject({ code: 0 });
  const none = startCommand(folder, ['migrate'], { table: join(folder, 'none') });
  expect(await none.ended).toMatchObject({ code: ERROR_CODES.NO_TABLE.exitCode });
});
