import { spawn } from 'node:child_process';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHBase, type HBaseCluster } from '../../bench/lib/hbase-cluster.js';
import { hasMaven } from '../../bench/lib/maven.js';
import { createTable, openContext, stats } from '../../packages/webcrawl/internal.js';
import { hostKeyOf, slotsOf } from '../../webtable/index.js';
import { requireCommand } from '../support/command-process.js';
import { DEPLOY } from '../support/deploy-files.js';
import { ROOT } from '../support/docs/source-files.js';
import { until } from '../support/events.js';
import { startYarn, type YarnCluster } from '../support/yarn/yarn-cluster.js';

const SLOTS = 16;
const WORKERS = 3;
const PAGES_OF_HOST = 2;
const SETTINGS = [
  'fetcher.serverDelay=0',
  'http.privateAddresses=allow',
  'http.agentName=yarn-test',
  'http.timeout=900000',
  'http.timeLimitMs=900000',
];

if (!hasMaven()) console.warn('Hadoop YARN is left out: it takes Maven and a JDK of version 17');

/** A host for each worker, each with its own loopback address. */
function hostsOfWorkers(): string[] {
  const slots = slotsOf(SLOTS);
  const hosts = new Map<number, string>();
  for (let i = 1; hosts.size < WORKERS; i++) {
    const host = `127.78.0.${i}`;
    const worker = slots.all.indexOf(slots.of(hostKeyOf(host))) % WORKERS;
    if (!hosts.has(worker)) hosts.set(worker, host);
  }
  return [...hosts.values()];
}

/** The lines that say why a job failed. */
const why = ({ out, err }: { out: string; err: string }): string[] =>
  `${out}${err}`.split('\n').filter((line) => /Caused by|error|Error:/.test(line));

/** Holds the first request of each host until it is released. */
async function holdingWeb(hosts: readonly string[]) {
  let isReleased = false;
  const held = new Map<string, ServerResponse>();
  const asked: string[] = [];
  const answer = (response: ServerResponse): void =>
    void response.setHeader('content-type', 'text/html').end('<title>a</title>');
  const server: Server = createServer((request, response) => {
    const { url = '', headers } = request;
    const host = (headers.host ?? '').replace(/:\d+$/, '');
    if (url === '/robots.txt') return void response.writeHead(404).end();
    asked.push(`${host}${url}`);
    if (isReleased) return answer(response);
    held.set(host, response);
  });
  await once(server.listen(0, '0.0.0.0'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    urls: hosts.flatMap((host) => Array.from({ length: PAGES_OF_HOST }, (_, i) => `http://${host}:${port}/${i}`)),
    isHeldByAll: () => hosts.every((host) => held.has(host)),
    release() {
      isReleased = true;
      held.forEach(answer);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe.runIf(hasMaven())('a crawl on Hadoop YARN', () => {
  let hbase: HBaseCluster;
  let yarn: YarnCluster;
  beforeAll(async () => {
    requireCommand();
    const starting = startYarn();
    starting.catch(() => undefined);
    hbase = await startHBase(join(ROOT, 'bench/hbase'), join(ROOT, '.cache'), { regionServers: 0, gateways: 1 });
    yarn = await starting;
  }, 900_000);
  afterAll(async () => {
    await yarn?.stop();
    await hbase?.stop();
  });

  function start(program: string, args: readonly string[]) {
    const child = spawn(program, args, { cwd: yarn.folder, env: { ...process.env, ...yarn.env } });
    let out = '';
    let err = '';
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.stderr.on('data', (data: Buffer) => (err += data.toString()));
    return new Promise<{ code: number | null; out: string; err: string }>((resolve, reject) => {
      child.once('error', reject).once('close', (code) => resolve({ code, out, err }));
    });
  }

  test('is done by a worker in each task, and by a new task if one is killed', async () => {
    const web = await holdingWeb(hostsOfWorkers());
    const table = `hbase://${hbase.gateways[0]}/yarn`;
    await createTable({ table, slots: SLOTS });
    const settings = SETTINGS.flatMap((setting) => ['--set', setting]);
    const folder = join(yarn.folder, 'jobs/crawl');
    const args = [...web.urls, '--table', table, ...settings];
    const running = start(join(DEPLOY, 'hadoop/streaming.sh'), [String(WORKERS), folder, ...args]);
    let end: Awaited<typeof running> | undefined;
    void running.then((ended) => (end = ended));
    // All three tasks work at the same time.
    await until(() => web.isHeldByAll() || end !== undefined);
    expect(end && why(end)).toBeUndefined();
    const workers = await yarn.find([process.execPath, 'crawl', '--shard', 'auto']);
    expect(workers).toHaveLength(WORKERS);
    process.kill(workers[0]!, 'SIGKILL');
    web.release();

    const { code, out, err } = await running;
    expect([code, code === 0 ? '' : why({ out, err })]).toEqual([0, '']);
    const counters: Readonly<Record<string, number>> = Object.fromEntries(
      [...`${out}${err}`.matchAll(/^\s+([\w ]+)=(\d+)$/gm)].map(([, name = '', n]) => [name, Number(n)] as const),
    );
    expect(counters).toMatchObject({ 'Launched map tasks': WORKERS + 1, 'Failed map tasks': 1 });
    await using crawl = await openContext({ table });
    expect((await stats(crawl)).statuses).toEqual({ fetched: web.urls.length });
    // The killed worker has not stored the page that it requested, so that page is requested again.
    expect(new Set(web.asked).size).toBe(web.urls.length);
    expect(web.asked).toHaveLength(web.urls.length + 1);
    web.close();
  }, 900_000);
});
