import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../packages/errors/index.js';
import { ROOT } from '../support/docs/source-files.js';

const execute = promisify(execFile);
const START = join(ROOT, 'scripts/start.mjs');

test('`npm start` alone crawls the sample site, and shows the content of the table', async () => {
  const { stdout, stderr } = await execute(process.execPath, [START], { cwd: ROOT });
  const table = /--table level:(\S+)/.exec(stderr)?.[1] ?? '';
  try {
    expect(stdout).toMatch(/^pages +14$/m);
    expect(stdout).toMatch(/^ {2}fetched +11$/m);
    expect(stdout).toMatch(/^ {2}redir_perm +1$/m);
    expect(stderr).toContain('readdb --dump');
  } finally {
    await rm(dirname(table), { recursive: true });
  }
});

test('`npm start -- <url>` is `webcrawl crawl <url>`', async () => {
  const { stdout } = await execute(process.execPath, [START, '--help'], { cwd: ROOT });
  expect(stdout).toContain('Usage: webcrawl crawl');
  await expect(execute(process.execPath, [START, 'nosuch.txt'], { cwd: ROOT })).rejects.toMatchObject({
    code: ERROR_CODES.BAD_INPUT.exitCode,
  });
});
