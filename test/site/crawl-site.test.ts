/**
 * Crawls real manuals to their end, three times: by `crawl`, by the separate commands in rounds, and by GNU Wget.
 * Uses Debian's documentation packages, or the folder in WEBCRAWL_SITE. Needs wget, and for the packages apt-get and dpkg.
 *
 * What makes the comparison fair:
 * - Both crawlers start at `/`, stay on the host, request robots.txt (there is none), and have no limit of size, links per page
 * or depth.
 * - Wget takes links from the same elements as webcrawl (`--follow-tags`); by default it takes images, styles and scripts as
 * well.
 * - Wget does not follow URLs that config/regex-urlfilter.txt rejects (`--reject-regex`): neither crawler follows links to
 * pictures or archives.
 * - What was reached is read from the access log of the server, by path and status, not from the output of a crawler.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unpackDebianDocs } from './debian-docs.js';
import { serveDocs, type DocServer, type Request } from './doc-server.js';
import { runCommand, type Finished } from './run-command.js';
import { runs } from '../support/runs.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = join(ROOT, 'dist/bin/webcrawl.js');
const FILTER_FILE = join(ROOT, 'config/regex-urlfilter.txt');
const MINUTE = 60_000;
const LEAST_PAGES = runs(800, 2000);
/** Pages of a batch of the separate commands: fewer than are due, so that rounds end within a level of the site. */
const TOP_N = 400;
const MAX_ROUNDS = 50;
const THREADS = 50;

/** The server is local, so there is no delay between requests. The separate commands stay on the host as `crawl` does. */
const SETTINGS = {
  'fetcher.serverDelay': 0,
  'fetcher.threadsPerQueue': THREADS,
  'db.ignoreExternalLinks': true,
  'http.contentLimit': -1,
  'db.maxOutlinksPerPage': -1,
};
const FIELDS = 'status,retries,contentType,title,signature,outlinks,inlinks,marks,protocolStatus';

/** A row of `readdb --dump`, with the fields that are compared here. */
interface Row {
  readonly url: string;
  readonly status: string;
  readonly marks?: Record<string, string>;
  readonly inlinks?: readonly { readonly url: string; readonly anchor: string }[];
}

/** The result of one crawler. */
interface Run {
  readonly name: string;
  readonly seconds: number;
  /** Without robots.txt. */
  readonly requests: readonly Request[];
  readonly rows: readonly Row[];
}

let work: string;
let server: DocServer;
let whole: Run | undefined;
let stepwise: Run | undefined;
let wget: Run | undefined;

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'webcrawl-site-'));
  server = await serveDocs(process.env['WEBCRAWL_SITE'] ?? (await unpackDebianDocs(work)));
}, 20 * MINUTE);

afterAll(async () => {
  console.log(summary([whole, stepwise, wget].filter((run) => run !== undefined)));
  await server?.close();
  await rm(work, { recursive: true, force: true });
}, 5 * MINUTE);

describe('real manuals', () => {
  it(
    'are crawled to their end by one command',
    async () => {
      const { seconds } = await webcrawl('whole', ['crawl', `${server.origin}/`, '--threads', String(THREADS)]);
      whole = await finished('crawl', 'whole', seconds);
    },
    30 * MINUTE,
  );

  it(
    'are crawled to their end by separate commands in rounds',
    async () => {
      let seconds = 0;
      const step = async (...args: string[]): Promise<Finished> => {
        const result = await webcrawl('stepwise', args, args[0] === 'generate' ? [0, 1] : [0]);
        seconds += result.seconds;
        return result;
      };
      await step('inject', `${server.origin}/`);
      let rounds = 0;
      for (;;) {
        const { code, stdout } = await step('generate', '--top-n', String(TOP_N));
        if (code === 1) break;
        rounds += 1;
        expect(rounds).toBeLessThan(MAX_ROUNDS);
        const batch = stdout.trim();
        await step('fetch', batch, '--threads', String(THREADS));
        await step('parse', batch);
        await step('updatedb', batch);
      }
      expect(rounds).toBeGreaterThan(1);
      stepwise = await finished(`${rounds} rounds of commands`, 'stepwise', seconds);
    },
    30 * MINUTE,
  );

  it(
    'are crawled to their end by wget',
    async () => {
      const rejected = (await readFile(FILTER_FILE, 'utf8')).split('\n').filter((line) => line.startsWith('-'));
      const args = ['--no-config', '--no-proxy', '--no-verbose', '--tries=1', '--timeout=20', '--delete-after'];
      args.push('--recursive', '--level=inf', '--follow-tags=a,area,base,frame,iframe,meta', '--regex-type=pcre');
      args.push(`--reject-regex=${rejected.map((line) => `(?:${line.slice(1)})`).join('|')}`, `${server.origin}/`);
      const { code, stderr, seconds } = await runCommand('wget', args, environment(20 * MINUTE));
      // 8: some request got an error, because the manuals have dead links.
      expect([0, 8], stderr.slice(-2000)).toContain(code);
      wget = { name: 'wget --recursive', seconds, requests: pagesAsked(), rows: [] };
    },
    30 * MINUTE,
  );

  it(`have at least ${LEAST_PAGES} pages of HTML`, () => {
    expect(given(whole).requests.filter(isHtmlPage).length).toBeGreaterThanOrEqual(LEAST_PAGES);
  });

  it('leave the same rows with both ways of crawling', () => {
    const [a, b] = [given(whole), given(stepwise)].map(({ rows }) => rows.map(comparable));
    expect(differences(a ?? [], b ?? [])).toEqual([]);
  });

  it('are the pages that wget reaches, with the same answers', () => {
    const reached = given(wget).requests.filter(({ path }) => !isBackslashLink(path));
    expect(differences(given(whole).requests.map(answer), reached.map(answer))).toEqual([]);
  });

  for (const [name, run] of [
    ['one command', () => given(whole)],
    ['separate commands', () => given(stepwise)],
  ] as const) {
    it(`are requested once each by ${name}, and every row has the answer of the server`, () => {
      const { requests, rows } = run();
      const paths = requests.map(({ path }) => path);
      expect(paths.filter((path, i) => paths.indexOf(path) !== i)).toEqual([]);
      expect(differences(rows.map(expectedAnswer), requests.map(answer))).toEqual([]);
    });
  }

  it('leave nothing to repair', async () => {
    for (const [table, run] of [
      ['whole', whole],
      ['stepwise', stepwise],
    ] as const) {
      const { stdout } = await webcrawl(table, ['repair', '--json']);
      expect(JSON.parse(stdout)).toMatchObject({ job: 'repair', counters: { rows: given(run).rows.length } });
    }
  });
});

/** Runs the command on a table of this test. Fails if the exit code is not in `codes`. */
async function webcrawl(table: string, args: readonly string[], codes: readonly number[] = [0]): Promise<Finished> {
  const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const all = [COMMAND, ...args, '--table', `level:${join(work, table)}`, ...settings];
  const result = await runCommand(process.execPath, all, environment(20 * MINUTE));
  expect(codes, `${args.join(' ')}\n${result.stderr.slice(-2000)}`).toContain(result.code);
  return result;
}

/** The environment without variables that configure webcrawl. */
function environment(timeout: number): { cwd: string; env: NodeJS.ProcessEnv; timeout: number } {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('WEBCRAWL_')));
  return { cwd: work, env, timeout };
}

async function finished(name: string, table: string, seconds: number): Promise<Run> {
  const requests = pagesAsked();
  const { stdout } = await webcrawl(table, ['readdb', '--dump', '--fields', FIELDS]);
  const rows = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
  return { name, seconds, requests, rows };
}

function pagesAsked(): Request[] {
  return server.takeRequests().filter(({ path }) => path !== '/robots.txt');
}

function given(run: Run | undefined): Run {
  if (!run) throw new Error('the crawl itself has failed');
  return run;
}

/** A row without times and batch ids. */
function comparable({ marks, inlinks, ...row }: Row): string {
  const sources = inlinks?.map(({ url, anchor }) => `${url} ${anchor}`).sort();
  return JSON.stringify({ ...row, marks: Object.keys(marks ?? {}), inlinks: sources });
}

function answer({ path, status }: Request): string {
  return `${status} ${path}`;
}

/** The answer that the row implies. */
function expectedAnswer({ url, status }: Row): string {
  const statuses: Readonly<Record<string, number>> = { fetched: 200, gone: 404, redir_perm: 301 };
  const { pathname, search } = new URL(url);
  return `${statuses[status] ?? status} ${pathname}${search}`;
}

/** The manual of SQLite has a link with a backslash: by the URL Standard this is a slash, for wget a letter. */
function isBackslashLink(path: string): boolean {
  return path.endsWith('/%5C');
}

function isHtmlPage({ status, contentType }: Request): boolean {
  return status === 200 && contentType.startsWith('text/html');
}

/** The lines that only one side has, at most 20. */
function differences(left: readonly string[], right: readonly string[]): string[] {
  const [inLeft, inRight] = [new Set(left), new Set(right)];
  return [
    ...[...inLeft].filter((line) => !inRight.has(line)).map((line) => `- ${line}`),
    ...[...inRight].filter((line) => !inLeft.has(line)).map((line) => `+ ${line}`),
  ]
    .slice(0, 20)
    .map((line) => line.slice(0, 300));
}

function summary(runs: readonly Run[]): string {
  const header = ['', 'html', 'other', 'redirects', '404', 'seconds', 'URLs/s'];
  const lines = runs.map(({ name, seconds, requests }) => {
    const count = (status: number): number => requests.filter((request) => request.status === status).length;
    const html = requests.filter(isHtmlPage).length;
    const numbers = [html, count(200) - html, count(301), count(404), seconds.toFixed(1)];
    return [name, ...numbers.map(String), (requests.length / seconds).toFixed(0)];
  });
  const row = ([name = '', ...cells]: string[]): string => name.padEnd(22) + cells.map((c) => c.padStart(10)).join('');
  return [header, ...lines].map(row).join('\n');
}
