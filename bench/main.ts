import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench, BenchOptions, BenchResult } from './lib/bench.js';
import { drawChart } from './lib/chart.js';
import { BENCH } from './lib/folders.js';
import { describeMachine, machineLine, type Machine } from './lib/machine.js';
import { formatTable } from './lib/table.js';

/** Each is loaded on demand: most need the whole library. */
const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  crawl: async () => (await import('./crawl.js')).crawlBench,
  operations: async () => (await import('./operations.js')).operationsBench,
  cycle: async () => (await import('./cycle.js')).cycleBench,
  'hbase-cycle': async () => (await import('./hbase-cycle.js')).hbaseCycleBench,
  focus: async () => (await import('./focus.js')).focusBench,
  memory: async () => (await import('./memory.js')).memoryBench,
  audit: async () => (await import('./audit.js')).auditBench,
  'link-check': async () => (await import('./link-check.js')).linkCheckBench,
  duplicates: async () => (await import('./duplicates.js')).duplicatesBench,
  profile: async () => (await import('./profile.js')).profileBench,
  export: async () => (await import('./export.js')).exportBench,
  'main-content': async () => (await import('./main-content.js')).mainContentBench,
  dates: async () => (await import('./dates.js')).datesBench,
  markdown: async () => (await import('./markdown.js')).markdownBench,
  graph: async () => (await import('./graph.js')).graphBench,
  relevance: async () => (await import('./relevance.js')).relevanceBench,
  index: async () => (await import('./search-index.js')).indexBench,
  serving: async () => (await import('./serving.js')).servingBench,
  'start-up': async () => (await import('./start-up.js')).startUpBench,
};
/** The default number of rounds. Fewer rounds, or a smaller scale, are for trials. */
const ROUNDS = 5;

const WIDTH = Math.max(...Object.keys(BENCHES).map((name) => name.length)) + 2;

const OPTIONS = `
  --json            print JSON instead of a table
  --rounds <n>      rounds in which all that is compared takes turns (${ROUNDS}; 1 of what no round could change much)
  --scale <factor>  of the sizes (1), to try a bench out
  --only <a,b>      leave all others out
  --against <folder> crawl, operations: another checkout, to take turns with this one
  --site <name>     crawl, operations, profile: docs, docs-one-host, synthetic, link-heavy or small-pages; relevance: docs or synthetic (docs)
  --cores <1,2>     crawl: the cores that each crawler may use, one number after the other (all); others than all on Linux only
  --hbase <url>     hbase-cycle: an HBase that runs, as hbase://<gateways>/<namespace>:<prefix>; else one is started
  --cache <folder>  where tables and outputs go (bench/.cache)

A table and a picture go to bench/results; those of fewer rounds or of a smaller scale to the cache.`;

async function usage(): Promise<string> {
  const lines = Object.entries(BENCHES).map(async ([name, load]) => `  ${name.padEnd(WIDTH)}${(await load()).about}`);
  return ['npm run bench -- <name> [options]', '', ...(await Promise.all(lines)), OPTIONS].join('\n');
}

/** Runs the benchmark that the arguments name, prints it, and returns the exit status. */
export async function main(args: readonly string[]): Promise<number> {
  let asked: Asked;
  try {
    asked = await readArguments(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${await usage()}`);
    return 64;
  }
  const { bench, json, options } = asked;
  const machine = describeMachine();
  await mkdir(options.cache, { recursive: true });
  const result = await bench.run(options);
  const saved = await save(asked, machine, result);
  if (json) console.log(asJson(options, machine, result));
  else {
    for (const { title, columns, rows } of [result, ...(result.more ?? [])])
      console.log(`\n${title}\n\n${formatTable(columns, rows)}\n`);
    for (const note of result.notes) console.log(`- ${note}`);
    console.log(`\n${machineLine(machine)}\n${saved}.svg and .json`);
  }
  return 0;
}

type Asked = Awaited<ReturnType<typeof readArguments>>;

/** @throws Error that tells what was expected */
export async function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      scale: { type: 'string', default: '1' },
      site: { type: 'string' },
      only: { type: 'string' },
      cores: { type: 'string' },
      hbase: { type: 'string' },
      against: { type: 'string' },
      cache: { type: 'string', default: join(BENCH, '.cache') },
    },
  });
  const [name = '', ...others] = positionals;
  if (!Object.hasOwn(BENCHES, name) || others.length > 0) {
    throw new Error(`expected the name of one benchmark, found "${positionals.join(' ')}"`);
  }
  const only = values.only?.split(',');
  const bench = await BENCHES[name]!();
  const { names, sites = ['docs'], rounds: enough = ROUNDS } = bench;
  const site = sites.find((one) => one === (values.site ?? sites[0]));
  if (!site) throw new Error(`expected --site of ${sites.join(', ')}, found "${values.site}"`);
  const unknown = only?.find((one) => !names.includes(one));
  if (unknown !== undefined) throw new Error(`expected --only of ${names.join(', ') || 'nothing'}, found "${unknown}"`);
  const rounds = above0('rounds', values.rounds ?? String(enough));
  if (!Number.isInteger(rounds)) throw new Error(`expected a whole number of --rounds, found ${rounds}`);
  const options: BenchOptions = {
    rounds,
    scale: above0('scale', values.scale),
    site,
    cache: values.cache,
    ...(only && { only }),
    ...(values.cores !== undefined && { cores: readCores(values.cores) }),
    ...(values.hbase !== undefined && { hbase: values.hbase }),
    ...(values.against !== undefined && { against: await checkout(values.against) }),
    say: (line) => console.error(`bench: ${line}`),
  };
  return { name, bench, json: values.json, options };
}

async function checkout(folder: string): Promise<string> {
  const path = resolve(folder);
  const script = join(path, 'scripts/setup.mjs');
  if (!existsSync(script)) throw new Error(`expected the folder of a checkout for --against, found "${folder}"`);
  const [code] = (await once(spawn(process.execPath, [script], { stdio: ['ignore', 2, 2] }), 'exit')) as [number];
  if (code !== 0) throw new Error(`expected a checkout that can be built for --against, found "${folder}"`);
  return path;
}

function readCores(list: string): number[] {
  const all = availableParallelism();
  const least = process.platform === 'linux' ? 1 : all;
  const cores = [...new Set(list.split(',').map(Number))];
  if (!cores.every((count) => Number.isInteger(count) && count >= least && count <= all))
    throw new Error(`expected --cores of ${least} to ${all}, found "${list}"`);
  return cores;
}

function above0(option: string, value: string): number {
  const number = Number(value);
  if (!(number > 0 && number < Infinity))
    throw new Error(`expected a number above 0 for --${option}, found "${value}"`);
  return number;
}

async function save({ name, bench, options }: Asked, machine: Machine, result: BenchResult): Promise<string> {
  const { sites = [], rounds = ROUNDS } = bench;
  const isPart = [options.only, options.against, options.cores].some((option) => option !== undefined);
  const isWhole = options.scale === 1 && !isPart && options.rounds >= rounds;
  const folder = isWhole ? join(BENCH, 'results') : join(options.cache, 'results');
  await mkdir(folder, { recursive: true });
  const file = sites.length > 0 && options.site !== sites[0] ? `${name}-${options.site}` : name;
  const notes = [...result.notes, ...(isWhole ? [] : ['Only a trial: not of full size, or of too few rounds.'])];
  await writeFile(join(folder, `${file}.svg`), drawChart(result.chart, [...notes, machineLine(machine)].join('\n')));
  await writeFile(join(folder, `${file}.json`), `${asJson(options, machine, result)}\n`);
  return join(folder, file);
}

function asJson({ rounds, scale }: BenchOptions, machine: Machine, result: BenchResult): string {
  const { title, rows, more, notes, samples } = result;
  const tables = more?.map((table) => ({ title: table.title, rows: table.rows }));
  return JSON.stringify({ title, machine, rounds, scale, rows, more: tables, notes, samples }, null, 2);
}
