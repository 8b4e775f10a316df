/**
 * The cost of a start: the CPU time of short commands, beside that of Node alone. On the Node that runs the benchmark, and on Node 24,
 * which caches compiled code for the next start.
 */
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isWanted, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { NODE_24 } from './lib/crawlers.js';
import { ROOT } from './lib/folders.js';
import { firstLine } from './lib/machine.js';
import { measure } from './lib/measure.js';
import { alternate, spread, type Spread } from './lib/rounds.js';

/** The goal: maximum milliseconds of CPU time that `--help` takes in addition to Node. */
const ASKED = 100;

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

/** `start-up`: short commands. */
export const startUpBench: Bench = {
  about: 'what short commands cost, beside Node itself: help, verbs on an empty table, and a crawl of one page',
  names: COMMANDS.map(({ name }) => name),
  rounds: 15,
  run,
};

interface Started {
  readonly name: string;
  readonly node: string;
  readonly command: (typeof COMMANDS)[number];
}

interface Sample {
  readonly cpuSeconds: number;
  readonly seconds: number;
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const nodes = [process.execPath, NODE_24].flatMap((node) => {
    const version = firstLine(node, ['--version']);
    return version === undefined ? [] : [{ node, version: version.replace(/^v/, '') }];
  });
  await mkdir(options.cache, { recursive: true });
  const folder = await mkdtemp(join(options.cache, 'start-up-'));
  const server = createServer(({ url }, answer) => {
    answer.writeHead(url === '/' ? 200 : 404, { 'content-type': 'text/html' }).end(url === '/' ? PAGE : '');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const started = nodes.flatMap(({ node, version }) =>
    COMMANDS.filter(({ name }) => name === 'node' || isWanted(options, name)).map((command): Started => ({
      name: `${command.name} on ${version}`,
      node,
      command,
    })),
  );
  try {
    const runOne = async ({ name, node, command }: Started): Promise<Sample> => {
      const table = join(folder, name.replaceAll(/\W/g, '-'));
      const isCrawl = command.name === 'crawl';
      if (isCrawl) await rm(table, { recursive: true, force: true });
      const ours = [join(ROOT, 'dist/bin/webcrawl.js'), ...command.args, ...(isCrawl ? [page, ...SETTINGS] : [])];
      const args = command.name === 'node' ? command.args : ours;
      // Node keeps compiled code in the folder for temporary files, for the command and its threads.
      const env = { ...process.env, WEBCRAWL_TABLE: `level:${table}`, TMPDIR: folder };
      const { cpuSeconds, seconds } = await measure(node, args, { env, mayFail: !isCrawl });
      return { cpuSeconds, seconds };
    };
    // First runs create tables and fill Node's cache. They are not counted.
    for (const one of started) {
      const init = [join(ROOT, 'dist/bin/webcrawl.js'), 'inject', '/dev/null', '--table'];
      await measure(one.node, [...init, `level:${join(folder, one.name.replaceAll(/\W/g, '-'))}`], { mayFail: true });
      await runOne(one);
    }
    options.say(`${started.length} commands, ${options.rounds} rounds`);
    return resultOf(
      nodes.map(({ version }) => version),
      started,
      await alternate(started, options.rounds, runOne),
    );
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function resultOf(
  versions: readonly string[],
  started: readonly Started[],
  samples: ReadonlyMap<string, readonly Sample[]>,
): BenchResult {
  const cpu = (name: string): readonly number[] => (samples.get(name) ?? []).map(({ cpuSeconds }) => 1000 * cpuSeconds);
  const beyond = (name: string, version: string): Spread => {
    const own = cpu(`node on ${version}`);
    return spread(cpu(name).map((ms, round) => ms - (own[round] ?? NaN)));
  };
  const versionOf = (name: string): string => versions.find((version) => name.endsWith(` on ${version}`)) ?? '';
  const aboutOf = ({ command }: Started): string => command.about;
  const help = started
    .filter(({ command }) => command.name === 'help')
    .map(({ name }) => `${beyond(name, versionOf(name)).median.toFixed(0)} ms on Node ${versionOf(name)}`);
  return {
    title: 'start-up: CPU time of short commands',
    columns: [
      { key: 'command', head: 'command' },
      { key: 'node', head: 'Node' },
      { key: 'cpu', head: 'CPU ms' },
      { key: 'beyond', head: 'beyond Node' },
      { key: 'wall', head: 'ms' },
    ],
    rows: started.map((one) => ({
      command: aboutOf(one),
      node: versionOf(one.name),
      cpu: spread(cpu(one.name)),
      beyond: beyond(one.name, versionOf(one.name)),
      wall: spread((samples.get(one.name) ?? []).map(({ seconds }) => 1000 * seconds)),
    })),
    notes: [
      `webcrawl --help takes ${help.join(', ')} beyond Node itself; ${ASKED} are asked for at the most.`,
      'What is beyond Node is of each round by itself. The system counts CPU time in steps of some milliseconds.',
    ],
    chart: {
      title: 'Starting',
      panels: [
        {
          title: 'CPU milliseconds',
          better: 'less',
          bars: started.map((one) => ({
            label: one.name,
            value: spread(cpu(one.name)),
            ours: one.command.name !== 'node',
          })),
        },
      ],
    },
    samples: Object.fromEntries(samples),
  };
}
