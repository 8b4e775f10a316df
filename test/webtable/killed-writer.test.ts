import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openLevelStore } from '../../webtable/index.js';
import { runs } from '../support/runs.js';
import { randomNumbers } from '../support/web/fake-web.js';
import { versionedRow, wholeVersions } from '../support/stores/versioned-rows.js';
import { suiteFolder } from '../support/files/temp-folder.js';

const WORKER = fileURLToPath(new URL('row-writer.mjs', import.meta.url));
const BUILT = fileURLToPath(new URL('../../dist/tests/webtable.js', import.meta.url));
const KEYS = ['com.example:http/', 'com.example:http/a', 'com.example:http/a/b', 'com.example:https/', 'org.x:http/'];
const KILLS = runs(4, 12);

function send(child: ChildProcessWithoutNullStreams, version: number): void {
  const changes = KEYS.map((key) => {
    const { put, ...change } = versionedRow(key, version);
    return { ...change, put: [...put!].map(([column, value]) => [column, Buffer.from(value).toString('latin1')]) };
  });
  child.stdin.write(`${JSON.stringify({ number: version, changes })}\n`);
}

/** Writes versions from `first` on until `stopAfter` are stored, then kills. Returns the last stored and the last sent version. */
async function writeAndKill(
  directory: string,
  first: number,
  stopAfter: number,
  delay: number,
): Promise<{ stored: number; sent: number }> {
  const child = spawn(process.execPath, [WORKER, directory]);
  let errors = '';
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  // The pipe breaks when the writer dies, as intended.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on('close', (_code, signal) => resolve(signal)));
  let sent = first - 1;
  let stored = first - 1;
  while (sent < first + 2) send(child, ++sent);
  let dying = false;
  for await (const line of createInterface({ input: child.stdout })) {
    stored = Number(line);
    send(child, ++sent);
    if (stored >= first + stopAfter && !dying) {
      dying = true;
      void sleep(delay).then(() => child.kill('SIGKILL'));
    }
  }
  expect(await ended, errors).toBe('SIGKILL');
  return { stored, sent };
}

describe.skipIf(!existsSync(BUILT))('a writer that is killed with SIGKILL (needs dist: node scripts/setup.mjs)', () => {
  const directory = suiteFolder();

  it('leaves every row complete, and has stored all that it reported as stored', async () => {
    const random = randomNumbers(3);
    let version = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const stopAfter = Math.floor(random() * 15);
      const { stored, sent } = await writeAndKill(directory, version + 1, stopAfter, random() * 4);
      const store = await openLevelStore(directory);
      const found = await wholeVersions(store);
      expect([...found.keys()]).toEqual([...KEYS].sort());
      for (const [key, at] of found) {
        expect(at, `${key} after kill ${kill}`).toBeGreaterThanOrEqual(stored);
        expect(at, `${key} after kill ${kill}`).toBeLessThanOrEqual(sent);
      }
      version = sent;
      await store.close();
    }
  });
});
