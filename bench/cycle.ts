/**
 * A cycle of a small batch on tables of different size: what generate, fetch, parse and updatedb take, and whether that grows with the
 * table. There is no network. Each job runs in its own process, on a copy of a table that is made once and cached.
 *
 * `fetch, rows only` and `parse, rows only` are the same command run again when all is done: it reads the rows of the batch and skips every
 * one. So its cost is that of selecting rows without the work on them.
 *
 * The second group of tables has rows that are due and that generate refuses. Once generate has refused them, they should cost no time, and
 * no more rows should be read.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { copyTable, makeTable } from './lib/cached-table.js';
import { runSteps, type StepFigures } from './lib/cycle-steps.js';
import {
  GROUPS,
  TOP_N,
  planOf,
  writeRules,
  type Group,
  type Limits,
  type Step,
  type TableCase,
} from './lib/cycle-cases.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import type { Row } from './lib/table.js';

/** Figures by step. */
type Sample = Readonly<Record<string, StepFigures>>;

/** `cycle`: the cost of a batch as the table grows. */
export const cycleBench: Bench = {
  about: 'a batch of 10,000 rows on tables of 50,000 to 5,000,000, and among rows that generate refuses',
  names: GROUPS.flatMap(({ tables }) => tables.map(({ name }) => name)),
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const found: { readonly group: Group; readonly samples: ReadonlyMap<string, readonly Sample[]> }[] = [];
  for (const { tables, steps } of GROUPS) {
    if (!tables.some(({ name }) => isWanted(options, name))) continue;
    const cases = tables.filter((table) => table === tables[0] || isWanted(options, table.name));
    const made = new Map<string, string>();
    for (const table of cases) {
      const plan = planOf(table, (count) => size(count, options.scale));
      made.set(table.name, await makeTable(options, 'cycle', plan));
    }
    const samples = await alternate(cases, options.rounds, async (table, round): Promise<Sample> => {
      options.say(`round ${round + 1} of ${options.rounds}: ${table.name}`);
      return runOn(table, steps, made.get(table.name)!, options);
    });
    found.push({ group: { tables: cases, steps }, samples });
  }
  return present(found);
}

function size(count: number, scale: number): number {
  return scaled(count, scale, 100);
}

async function runOn(
  table: TableCase,
  steps: readonly Step[],
  made: string,
  { cache, scale }: BenchOptions,
): Promise<Sample> {
  const { maxCount = -1, settings = {} } = table;
  const topN = size(table.topN ?? TOP_N, scale);
  const folder = join(cache, 'cycle-copy');
  const directory = join(folder, 'table');
  await mkdir(folder, { recursive: true });
  await writeRules(folder);
  await copyTable(made, directory);
  try {
    const all = { 'generate.maxCount': maxCount, ...settings };
    return await runSteps({ table: `level:${directory}`, topN, settings: all, steps, folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function present(
  found: readonly { readonly group: Group; readonly samples: ReadonlyMap<string, readonly Sample[]> }[],
): BenchResult {
  const rows: Row[] = [];
  const panels: BenchResult['chart']['panels'][number][] = [];
  for (const { group, samples } of found) {
    const { tables, steps } = group;
    const base = tables[0]!.name;
    const of = (name: string, step: Step, figure: Figure): Spread =>
      spread((samples.get(name) ?? []).map((sample) => sample[step.name]![figure]));
    for (const step of steps) {
      for (const { name, atMost } of tables) {
        const ratio = (figure: Figure): number | undefined =>
          atMost && of(name, step, figure).median / of(base, step, figure).median;
        const asked = (limit: keyof Limits): string | undefined =>
          step.isJudged && atMost?.[limit] !== undefined ? `≤ ${atMost[limit]}` : undefined;
        rows.push({
          step: step.name,
          table: name,
          did: samples.get(name)?.[0]?.[step.name]?.did,
          seconds: of(name, step, 'seconds'),
          timeRatio: ratio('seconds'),
          timeAsked: asked('seconds'),
          rowsRead: of(name, step, 'rowsRead'),
          rowsRatio: ratio('rowsRead'),
          rowsAsked: asked('rowsRead'),
          memory: of(name, step, 'ownMb'),
          memoryRatio: ratio('ownMb'),
          memoryAsked: asked('memory'),
          resident: of(name, step, 'residentMb'),
        });
      }
      panels.push({
        title: `${step.name}, seconds`,
        digits: 3,
        better: 'less',
        bars: tables
          .filter(({ name, atMost }) => name === base || atMost)
          .map(({ name }) => ({ label: name, value: of(name, step, 'seconds'), ours: name !== base })),
      });
    }
  }
  return {
    title: 'cycle: what a batch costs as the table grows',
    columns: [
      { key: 'step', head: 'job' },
      { key: 'table', head: 'table' },
      { key: 'did', head: 'rows done' },
      { key: 'seconds', head: 'seconds', digits: 3 },
      { key: 'timeRatio', head: 'ratio', digits: 2 },
      { key: 'timeAsked', head: 'asked' },
      { key: 'rowsRead', head: 'rows read' },
      { key: 'rowsRatio', head: 'ratio', digits: 2 },
      { key: 'rowsAsked', head: 'asked' },
      { key: 'memory', head: 'own MB' },
      { key: 'memoryRatio', head: 'ratio', digits: 2 },
      { key: 'memoryAsked', head: 'asked' },
      { key: 'resident', head: 'with mapped files' },
    ],
    rows,
    notes: [
      ...found.flatMap(({ group }) => group.tables.map(({ name, about }) => `${name}: ${about}.`)),
      `Ratios are of medians, to ${found.map(({ group }) => group.tables[0]!.name).join(' and ')}. Time is that of the job, without opening the table.`,
      'Rows read are keys of pages that the store is asked for, and rows that a scan of it gives.',
      'Own MB is the peak of the memory of the process; besides it the system maps what is read of the files of the table, which it can take back at any time.',
      'Fetch and parse do the same work on each page of any table; "rows only" is their selection of rows alone.',
    ],
    chart: { title: 'A cycle costs what its batch costs', panels },
    samples: Object.fromEntries(found.flatMap(({ samples }) => [...samples])),
  };
}

type Figure = 'seconds' | 'ownMb' | 'residentMb' | 'rowsRead';
