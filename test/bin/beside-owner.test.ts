import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERROR_CODES } from '../../packages/errors/index.js';
import { jobs, openContext, type OpenContext } from '../../packages/webcrawl/internal.js';
import { suiteFolder } from '../support/files/temp-folder.js';
import { runLine, testIo } from './test-io.js';

const folder = suiteFolder();
const table = join(folder, 'table');
const PAGE = 'http://a.example/x';
let owner: OpenContext;

beforeAll(async () => {
  owner = await openContext({ table, name: 'crawl', alone: true, settings: { 'parser.threads': 0 } });
  await jobs.inject(owner, { seeds: [PAGE] });
});
afterAll(() => owner.close());

const WORKS = [
  'status',
  'readdb --stats',
  `explain ${PAGE}`,
  'hosts',
  'plan',
  'changes',
  `check url ${PAGE}`,
  'export pages -o pages.jsonl --all',
  'graph --level host -o graph.dot',
  'prefixes --min 1',
  'mark before',
  'mark before --remove',
  'watch --list',
  'rules add reject /tag/',
  'rules disable r1',
  'rules enable r1',
  'rules list --counts',
  'rules show r1',
  'rules test reject /tag/',
  'rules report',
  'rules export',
  'rules propose',
  'rules apply',
  'rules remove r1',
  'rules import -',
  'inject http://a.example/y',
  'backup backups',
];
const LOCKED = [
  `crawl ${PAGE}`,
  'generate',
  'fetch --all',
  'parse --all',
  'updatedb --all',
  'index',
  'rank',
  'dedup',
  'remove --yes --status gone',
  'compact',
  'repair',
  'migrate',
  `audit ${PAGE}`,
  `audit ignore link-broken ${PAGE} --why known`,
  `audit unignore link-broken ${PAGE}`,
];

function inFolder(line: string): Promise<{ code: number; out: string; err: string }> {
  const args = line
    .split(' ')
    .map((arg) => (/^(pages\.jsonl|graph\.dot|backups)$/.test(arg) ? join(folder, arg) : arg));
  return runLine(['--table', table, ...args], testIo());
}

test.each(WORKS)('%s works while another process has the table', async (line) => {
  const { code, err } = await inFolder(line);
  // 1: there is nothing to show.
  expect([0, 1], err).toContain(code);
});

test.each(LOCKED)('%s is refused while another process has the table', async (line) => {
  const { code, err } = await inFolder(line);
  expect(code, err).toBe(ERROR_CODES.TABLE_LOCKED.exitCode);
  expect(err).toContain(`is in use by process ${process.pid} (crawl)`);
});

test('the table in OPERATIONS.md names each of these commands as what works or fails', async () => {
  const text = await readFile(new URL('../../docs/OPERATIONS.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| `.*\| (works|fails)/.test(line));
  const named = (line: string, outcome: string): boolean =>
    rows.some((row) => {
      const [, commands = '', , , result = ''] = row.split('|').map((cell) => cell.trim());
      const [verb = '', sub = ''] = line.split(' ');
      const isNamed =
        commands.includes(`\`${verb}\``) ||
        commands.includes(`\`${verb} ${sub}\``) ||
        (verb === 'rules' && commands.includes('rules') && commands.includes(`\`${sub}\``));
      return isNamed && result.startsWith(outcome);
    });
  expect(WORKS.filter((line) => !named(line, 'works'))).toEqual([]);
  expect(LOCKED.filter((line) => !line.startsWith('audit http') && !named(line, 'fails'))).toEqual([]);
});
