import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireCommand } from '../support/command-process.js';
import { randomNumbers } from '../support/web/fake-web.js';
import { differences, faults, withTable } from './end-state.js';
import { PEACE, runSteps, type Killer, type Outcome } from './killed-steps.js';
import { madeWeb, type MadeWeb } from './made-web.js';
import { SCENARIOS, type Scenario } from './scenarios.js';

/** The options of `scripts/soak.mjs`. */
const {
  kills: WANTED,
  seed: SEED,
  only,
} = JSON.parse(process.env['WEBCRAWL_SOAK'] ?? '{}') as {
  readonly kills: number;
  readonly seed: number;
  readonly only: readonly string[];
};

/** After this number of kills a command runs to its end, so that every run ends. */
const MAX_TRIES = 12;
/** A process is killed at most this many milliseconds after it begins to open the table. */
const SPAN = 500;
/** The span grows with every kill, so that a slow machine makes progress too. */
const GROWTH = 1.15;

test('jobs killed at random moments leave the same state as jobs that were not killed', async () => {
  requireCommand();
  const unknown = only.filter((name) => !Object.hasOwn(SCENARIOS, name));
  expect(unknown, `scenarios are ${Object.keys(SCENARIOS).join(', ')}`).toEqual([]);
  const names = only.length > 0 ? only : Object.keys(SCENARIOS);
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-soak-'));
  const web = await madeWeb(SEED);
  const undisturbed = new Map<string, readonly Outcome[]>();
  const filled = new Map<string, string>();

  /** A new folder, with the table of the scenario. */
  async function newFolder(name: string): Promise<string> {
    const run = await mkdtemp(join(folder, 'run-'));
    const { fill } = SCENARIOS[name]!;
    if (!fill) return run;
    const table = filled.get(name) ?? join(folder, name);
    if (!filled.has(name)) await withTable(table, 0, (crawl) => fill(crawl, SEED));
    filled.set(name, table);
    await cp(table, join(run, 'table'), { recursive: true });
    return run;
  }

  let kills = 0;
  let found = 0;
  try {
    for (let pass = 0; kills < WANTED || (WANTED === 0 && pass < names.length); pass++) {
      const name = names[pass % names.length]!;
      const scenario = SCENARIOS[name]!;
      const expected = undisturbed.get(name) ?? (await inPeace(await newFolder(name), web, scenario));
      undisturbed.set(name, expected);
      const random = randomNumbers(SEED * 1000 + pass);
      const byVerb: Record<string, number> = {};
      const killer: Killer = {
        next(step, tries) {
          if (kills >= WANTED || tries >= MAX_TRIES) return undefined;
          const { span = SPAN } = scenario.steps[step]!;
          return random() * Math.min(span, expected[step]!.worked) * GROWTH ** tries;
        },
        onKill(verb) {
          kills += 1;
          byVerb[verb] = (byVerb[verb] ?? 0) + 1;
        },
      };
      const since = performance.now();
      const kept = await newFolder(name);
      const lines: string[] = [];
      let stale = '';
      try {
        const repaired = await runSteps(kept, web, scenario, killer, (step, { state }) => {
          if (scenario.steps[step]!.isUnsettled) return true;
          const differing = differences(expected[step]!.state, state);
          lines.push(...differing.map((line) => `after step ${step}: ${line}`));
          return differing.length === 0;
        });
        lines.push(...faults(repaired));
        stale = listed(Object.fromEntries(Object.entries(repaired).filter(([reason]) => reason.startsWith('stale_'))));
      } catch (error) {
        lines.push((error as Error).message);
      }
      found += lines.length;
      const result = lines.length === 0 ? '' : `, ${lines.length} differences in ${kept}`;
      const seconds = ((performance.now() - since) / 1000).toFixed(0);
      console.log(`soak: ${name}, pass ${pass}, ${seconds} s: killed ${listed(byVerb)}; stale ${stale}${result}`);
      for (const line of lines.slice(0, 50)) console.log(`  ${line}`);
      if (lines.length === 0) await rm(kept, { recursive: true });
    }
  } finally {
    await web.close();
    if (found === 0) await rm(folder, { recursive: true, force: true });
  }
  console.log(`${kills} kills, ${found} differences`);
  expect(found).toBe(0);
});

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

async function inPeace(folder: string, web: MadeWeb, scenario: Scenario): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await runSteps(folder, web, scenario, PEACE, (_, outcome) => outcomes.push(outcome) > 0);
  return outcomes;
}
