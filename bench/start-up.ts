/** On the Node that runs the benchmark, and on Node 24, which caches compiled code for the next start. */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { NODE_24 } from './lib/crawlers.js';
import { inEmptyFolder, ROOT } from './lib/folders.js';
import { firstLine } from './lib/machine.js';
import { measure, type Measurement } from './lib/measure.js';
import { alternate, over, spread, samplesByName, type Sampled, type Spread } from './lib/rounds.js';
import { tabulate } from './lib/table.js';

const GOAL_MS = 100;

const COMMAND = join(ROOT, 'dist/bin/webcrawl.js');
const COMMANDS = [
  { name: 'node', args: ['-e', '0'], about: 'Node itself' },
  { name: 'help', args: ['--help'], about: 'webcrawl --help' },
  { name: 'verb', args: ['generate', '--help'], about: 'webcrawl generate --help' },
  { name: 'stats', args: ['readdb', '--stats'], about: 'webcrawl readdb --stats, of an empty table' },
  { name: 'status', args: ['status'], about: 'webcrawl status, of an empty table' },
  { name: 'generate', args: ['generate', '--json', '--quiet'], about: 'webcrawl generate, of an empty table' },
  { name: 'crawl', args: ['crawl', '--json', '--quiet'], about: 'webcrawl crawl of one page, into a new table' },
] as const;
/** The page is on this machine, so there is no delay between requests. */
const SETTINGS = ['--set', 'http.privateAddresses=allow', '--set', 'fetcher.serverDelay=0'];
const PAGE = '<!doctype html><title>A page</title><p>Its text, and <a href="https://example.com/">a link</a>.';

export const startUpBench: Bench = {
  about: 'what short commands cost, beside Node itself: help, verbs on an empty table, and a crawl of one page',
  names: COMMANDS.map(({ name }) => name),
  rounds: 15,
  run,
};

interface Started {
  readonly name: string;
  readonly node: string;
  readonly version: string;
  readonly command: (typeof COMMANDS)[number];
}

type Sample = Pick<Measurement, 'cpuSeconds' | 'seconds'>;

async function run(options: BenchOptions): Promise<BenchResult> {
  const started = [process.execPath, NODE_24].flatMap((node) => {
    const version = firstLine(node, ['--version'])?.replace(/^v/, '');
    if (version === undefined) return [];
    const commands = COMMANDS.filter(({ name }) => name === 'node' || isWanted(options, name));
    return commands.map((command): Started => ({ name: `${command.name} on ${version}`, node, version, command }));
  });
  const server = createServer(({ url }, response) => {
    response.writeHead(url === '/' ? 200 : 404, { 'content-type': 'text/html' }).end(url === '/' ? PAGE : '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    return await inEmptyFolder(join(options.cache, 'start-up'), async (folder) => {
      const runOne = (one: Started): Promise<Sample> => runCommand(one, folder, page);
      // First runs create tables and fill Node's cache. They are not counted.
      for (const one of started) {
        const args = [COMMAND, 'inject', '/dev/null', '--table', `level:${tableOf(one, folder)}`];
        await measure(one.node, args, { mayFail: true });
        await runOne(one);
      }
      options.say(`${started.length} commands, ${options.rounds} rounds`);
      return resultOf(await alternate(started, options.rounds, runOne));
    });
  } finally {
    server.close();
  }
}

const tableOf = ({ name }: Started, folder: string): string => join(folder, name.replaceAll(/\W/g, '-'));

async function runCommand(one: Started, folder: string, page: string): Promise<Sample> {
  const { node, command } = one;
  const table = tableOf(one, folder);
  const isCrawl = command.name === 'crawl';
  if (isCrawl) await rm(table, { recursive: true, force: true });
  const ours = [COMMAND, ...command.args, ...(isCrawl ? [page, ...SETTINGS] : [])];
  const args = command.name === 'node' ? command.args : ours;
  // Node keeps compiled code in the folder for temporary files, for the command and its threads.
  const env = { ...process.env, WEBCRAWL_TABLE: `level:${table}`, TMPDIR: folder };
  const { cpuSeconds, seconds } = await measure(node, args, { env, mayFail: !isCrawl });
  return { cpuSeconds, seconds };
}

function resultOf(started: readonly Sampled<Started, Sample>[]): BenchResult {
  const cpuMs = over(({ cpuSeconds }: Sample) => 1000 * cpuSeconds);
  const beyond = ({ samples, version }: (typeof started)[number]): Spread => {
    const own = started.find((one) => one.command.name === 'node' && one.version === version)?.samples;
    return spread(samples.map(({ cpuSeconds }, i) => 1000 * (cpuSeconds - (own?.[i]?.cpuSeconds ?? NaN))));
  };
  const help = started
    .filter(({ command }) => command.name === 'help')
    .map((one) => `${beyond(one).median.toFixed(0)} ms on Node ${one.version}`);
  const { panels, ...table } = tabulate(
    started,
    {
      command: { head: 'command', of: ({ command }) => command.about },
      node: { head: 'Node', of: ({ version }) => version },
      cpu: { head: 'CPU ms', better: 'less', panel: 'CPU milliseconds', of: cpuMs },
      beyond: { head: 'beyond Node', of: beyond },
      wall: { head: 'ms', of: over(({ seconds }) => 1000 * seconds) },
    },
    ({ name, command }) => ({ label: name, ours: command.name !== 'node' }),
  );
  return {
    title: 'start-up: CPU time of short commands',
    ...table,
    notes: [
      `webcrawl --help takes ${help.join(', ')} beyond Node itself; ${GOAL_MS} are asked for at the most.`,
      'What is beyond Node is of each round by itself. The system counts CPU time in steps of some milliseconds.',
    ],
    chart: { title: 'Starting', panels },
    samples: samplesByName(started),
  };
}
