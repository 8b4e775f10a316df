import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../../packages/errors/index.js';
import { requireCommand, said, startCommand, type Ended, type Started } from '../support/command-process.js';

const LONG = 300_000;
/** A page is held back while other commands run; on a busy machine that takes long. */
const PATIENT = ['--set', 'http.timeout=600000', '--set', 'http.timeLimitMs=600000'];

let folder: string;
let server: Server;
let url: string;
let answer: (path: string, response: ServerResponse) => void;
/** Resolves when a page (not robots.txt) is requested. */
let asked: Promise<void>;
const children: ChildProcessWithoutNullStreams[] = [];

beforeAll(requireCommand);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-live-'));
  let onAsked = () => {};
  asked = new Promise((resolve) => (onAsked = resolve));
  server = createServer(({ url: path = '' }, response) => {
    if (path === '/robots.txt') return void response.writeHead(404).end();
    onAsked();
    answer(path, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

function start(...args: readonly string[]): Started {
  const started = startCommand(folder, [...args, ...PATIENT]);
  children.push(started.child);
  return started;
}

const run = (...args: readonly string[]) => start(...args).ended;

async function json<T>(...args: readonly string[]): Promise<T> {
  const { code, out, err } = await run(...args, '--json');
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as T;
}

interface Status {
  readonly jobs: readonly { job: string; done: number; fetching: { inFlight: number; pages: { url: string }[] } }[];
  readonly due: { count: number };
  readonly owner?: { pid: number; name: string };
  readonly lastFetch?: { state: string };
}

const page = (response: ServerResponse, body = 'x'): void =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end(body);

describe('during a running crawl', () => {
  test(
    'readdb, explain, check, status and inject work, its seeds are crawled, and no other process may crawl',
    async () => {
      let release = () => {};
      answer = (path, response) => {
        if (path === '/') release = () => page(response, '<a href="/a">A</a>');
        else page(response);
      };
      const { child, ended } = start('crawl', url, '--json', '-q');
      await asked;
      const seen = await json<Status>('status');
      expect(seen.owner).toMatchObject({ pid: child.pid, name: 'crawl' });
      expect(seen.jobs).toMatchObject([{ job: 'crawl', done: 0, fetching: { inFlight: 1, pages: [{ url }] } }]);
      expect((await run('status')).out).toContain(`The table is open in process ${child.pid} (crawl).`);
      expect(await json('readdb', '--stats')).toMatchObject({ total: 1, statuses: { unfetched: 1 } });
      expect(await json('explain', url)).toMatchObject({ url, page: { status: 'unfetched' } });
      expect(await json('check', 'url', url)).toMatchObject({ accepted: true });
      const refused = await run('generate');
      expect(refused.code).toBe(ERROR_CODES.TABLE_LOCKED.exitCode);
      expect(refused.err).toContain(`is in use by process ${child.pid} (crawl)`);
      expect((await run('crawl', url)).code).toBe(ERROR_CODES.TABLE_LOCKED.exitCode);

      expect(await json('inject', `${url}injected`)).toMatchObject({ counters: { injected: 1 } });
      release();
      const { code, out } = await ended;
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ counters: { injected: 1, fetched: 3 } });
      expect(await json('readdb', '--url', `${url}injected`)).toMatchObject({ status: 'fetched' });
      expect((await run('status')).out).toMatch(/^No process has the table open\.\n(.*\n)*last fetch +ended/);
    },
    LONG,
  );

  test(
    'rules are added, disabled and removed, and the crawl applies them within seconds',
    async () => {
      /** The number of pages requested since the last tag page. */
      let sinceTag = 0;
      let isOver = false;
      let onPage = (_number: number): void => {};
      answer = (path, response) => {
        const [, kind, number = '0'] = /^\/(tag)?(\d*)$/.exec(path) ?? [];
        if (kind === 'tag') {
          sinceTag = 0;
          return page(response);
        }
        sinceTag += 1;
        onPage(Number(number));
        const next = Number(number) + 1;
        page(response, isOver ? 'x' : `<a href="/${next}">next</a><a href="/tag${next}">tag</a>`);
      };
      const until = (holds: () => boolean) =>
        new Promise<void>((resolve) => {
          onPage = () => void (holds() && resolve());
        });
      const { ended } = start('crawl', url, '--json', '-q');
      await asked;
      // Each step waits for an effect on the crawl. Without any, the crawl would never end.
      expect(await run('rules', 'add', 'reject', '/tag')).toMatchObject({ code: 0, out: 'r1\n' });
      await until(() => sinceTag >= 20);
      interface List {
        readonly rules: readonly { readonly state: string; readonly counts?: { readonly links: number } }[];
      }
      let listed: List | undefined;
      for (let links = 0; links === 0; links = listed.rules[0]?.counts?.links ?? 0)
        listed = await json<List>('rules', 'list', '--counts');
      expect(listed?.rules).toMatchObject([{ id: 'r1', state: 'active' }]);
      expect((await run('explain', `${url}tag5000`)).out).toContain(
        'rejected by rule r1 (reject /tag on all hosts, by hand',
      );

      expect((await run('rules', 'disable', 'r1')).code).toBe(0);
      await until(() => sinceTag < 5);
      expect((await run('rules', 'enable', 'r1')).code).toBe(0);
      await until(() => sinceTag >= 20);
      expect((await run('rules', 'remove', 'r1')).code).toBe(0);
      await until(() => sinceTag < 5);
      isOver = true;
      const { code, out } = await ended;
      expect(code).toBe(0);
      const { counters } = JSON.parse(out) as { counters: Record<string, number> };
      expect(counters['links_rejected_rules']).toBeGreaterThanOrEqual(20);
      expect((await json<List>('rules', 'list')).rules).toEqual([]);
    },
    LONG,
  );

  test(
    'a kill of the process that serves the table stops no later command',
    async () => {
      answer = () => {};
      const { child, ended } = start('crawl', url);
      await asked;
      expect((await json<Status>('status')).owner).toBeDefined();
      child.kill('SIGKILL');
      await ended;
      expect(existsSync(join(folder, 'table/live/socket'))).toBe(process.platform !== 'win32');
      const after = await json<Status>('status');
      expect([after.owner, after.jobs, after.lastFetch?.state]).toEqual([undefined, [], 'running']);
      answer = (_path, response) => page(response);
      expect(await json('crawl', url, '-q')).toMatchObject({ counters: { fetched: 1 } });
    },
    LONG,
  );

  test(
    '--wait waits until the crawl ends',
    async () => {
      let release = () => {};
      answer = (_path, response) => void (release = () => page(response));
      const first = start('crawl', url, '-q');
      await asked;
      const second = start('crawl', url, '--wait', '600', '--json');
      await said(second.child, `Waiting for the table, which process ${first.child.pid} (crawl) has open.`);
      release();
      expect((await first.ended).code).toBe(0);
      expect((await second.ended).code).toBe(0);
    },
    LONG,
  );

  test(
    '--wait ends at a signal',
    async () => {
      answer = () => {};
      start('crawl', url, '-q');
      await asked;
      const { child, ended } = start('repair', '--wait', '600');
      await said(child, 'Waiting for the table');
      child.kill('SIGINT');
      expect((await ended).code).toBe(130);
    },
    LONG,
  );
});

describe('a dump that is injected again', () => {
  const PAGES = 3000;
  beforeEach(async () => {
    const seeds = start('inject', '-', '-q');
    seeds.child.stdin.end(Array.from({ length: PAGES }, (_, i) => `http://example.com/${i}`).join('\n'));
    expect((await seeds.ended).code).toBe(0);
  }, LONG);

  /** Does the work of `jq -r .url`, and makes the URLs new. */
  async function pipe(from: ChildProcessWithoutNullStreams, to: ChildProcessWithoutNullStreams): Promise<void> {
    for await (const line of createInterface({ input: from.stdout })) {
      const { url } = JSON.parse(line) as { url: string };
      to.stdin.write(`${url}-new\n`);
    }
    to.stdin.end();
  }

  /** Starts a command that opens the table. Starts it again if a `status` had the table open, because then it only connects. */
  async function startAsHolder(
    onStart: (started: ReturnType<typeof start>) => void,
    verb: string,
    ...args: string[]
  ): Promise<ReturnType<typeof start>> {
    for (;;) {
      const started = start(verb, ...args);
      onStart(started);
      for (let i = 0; i < 10; i++) if ((await json<Status>('status')).owner?.name === verb) return started;
      started.child.kill('SIGKILL');
      await started.ended;
    }
  }

  async function expectAll(dump: Promise<Ended>, inject: Promise<Ended>): Promise<void> {
    const [{ code, err }, injected] = [await dump, await inject];
    expect([code, err]).toEqual([0, '']);
    expect(injected.code, injected.err).toBe(0);
    expect(JSON.parse(injected.out)).toMatchObject({ counters: { injected: PAGES } });
    expect(await json('readdb', '--stats')).toMatchObject({ total: 2 * PAGES });
  }

  test(
    'works if readdb opens the table first',
    async () => {
      // The output, all fields of a row, is more than twice the capacity of the pipe, so the command waits with the table open.
      const pause = ({ child }: ReturnType<typeof start>): void => void child.stdout.removeAllListeners('data').pause();
      const dump = await startAsHolder(pause, 'readdb', '--dump');
      const inject = start('inject', '-', '--json', '-q');
      await pipe(dump.child, inject.child);
      await expectAll(dump.ended, inject.ended);
    },
    LONG,
  );

  test(
    'works if inject opens the table first',
    async () => {
      const inject = await startAsHolder(() => {}, 'inject', '-', '--json', '-q');
      const dump = start('readdb', '--dump', '--fields', 'status', '--host', 'example.com');
      const lines: string[] = [];
      for await (const line of createInterface({ input: dump.child.stdout })) {
        lines.push(`${(JSON.parse(line) as { url: string }).url}-new\n`);
      }
      inject.child.stdin.end(lines.join(''));
      await expectAll(dump.ended, inject.ended);
    },
    LONG,
  );
});
