import { mkdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { said, startCommand } from '../support/command-process.js';
import { jobs, type Report } from '../../packages/webcrawl/internal.js';
import { stateOf, withTable, type State } from './end-state.js';
import { untilRest } from './until-rest.js';
import type { MadeWeb } from './made-web.js';
import type { Scenario, Soaked, Step } from './scenarios.js';

/** Decides when processes are killed. */
export interface Killer {
  /**
   * The milliseconds after which the process of this step is killed, from the moment at which it begins to open the table.
   * undefined: it may run to its end.
   */
  next(step: number, tries: number): number | undefined;
  /** Called for each killed process. */
  onKill(verb: string): void;
}

/** Kills no process. */
export const PEACE: Killer = { next: () => undefined, onKill: () => {} };

/** The result of a step. */
export interface Outcome {
  readonly state: State;
  /** How long its process ran, in milliseconds. If processes were killed, only the last one counts. */
  readonly worked: number;
}

const CLOCK = pathToFileURL(fileURLToPath(new URL('moved-clock.mjs', import.meta.url))).href;
const DAY = 86_400_000;
/** Milliseconds between the clocks of two steps, so that no two batches begin in the same second. */
const STEP_APART = 2000;
/** A process may have to wait for the table until other processes are killed and restarted. */
const PATIENT = ['--wait', '300'];
/** The message of an export that finds its own output: it was killed when all files were in place. */
const IS_THERE = 'already exists';
/** Printed with --verbose before the command opens the table, when its own code is loaded. */
const OPENS = 'table level:';
const SETTINGS = [
  'db.fetchIntervalDefault=432000',
  'generate.lockExpirySeconds=604800',
  'fetcher.minBackoffSeconds=0.1',
  'db.updateMaxLinksInMemory=1000',
].flatMap((setting) => ['--set', setting]);

/**
 * Runs the steps of a scenario on the table in a folder (a new table if there is none), each until it ends by itself, then repair.
 * @param onStep called after each step; false ends the run
 * @returns the counters of repair
 * @throws Error if a command ends with an error
 */
export async function runSteps(
  folder: string,
  web: MadeWeb,
  { steps, except }: Scenario,
  killer: Killer,
  onStep: (step: number, outcome: Outcome) => boolean,
): Promise<Report['counters']> {
  // A little earlier, so that times that are planned in whole hours are not at the edge of an hour.
  const begun = Date.now() - 60_000;
  const [table, made] = [join(folder, 'table'), join(folder, 'out')];
  await mkdir(made);
  let batches: string[] = [];
  for (const [i, step] of steps.entries()) {
    const moved = movedAt(step, i);
    web.setDay(step.day, i === 0);
    const soaked: Soaked = { origins: web.origins, batches };
    const killStep = { ...killer, next: (tries: number) => killer.next(i, tries) };
    const worked = await runStep(folder, web, step, soaked, moved, killStep);
    const goesOn = await withTable(table, moved, async (crawl) => {
      const open = (await crawl.tables.batches.list()).map(({ batchId }) => batchId);
      batches = [...batches.filter((id) => open.includes(id)), ...open.filter((id) => !batches.includes(id))];
      const index = step.isIndexed ? join(table, 'index') : undefined;
      return onStep(i, { state: await stateOf(crawl, { begun, except, made, index }), worked });
    });
    if (!goesOn) return {};
  }
  const last = movedAt(steps.at(-1)!, steps.length - 1);
  return withTable(table, last, async (crawl) => (await jobs.repair(crawl)).counters);
}

/** How far the clock is ahead in a step, in milliseconds. */
const movedAt = ({ day }: Step, step: number): number => day * DAY + step * STEP_APART;

async function runStep(
  folder: string,
  web: MadeWeb,
  step: Step,
  soaked: Soaked,
  moved: number,
  killer: { readonly next: (tries: number) => number | undefined; readonly onKill: Killer['onKill'] },
): Promise<number> {
  const { requests } = web;
  let worked = 0;
  const env = { NODE_OPTIONS: `--import=${CLOCK}`, WEBCRAWL_SOAK_CLOCK: String(moved) };
  const isDone = async (): Promise<boolean> =>
    step.isDone !== undefined &&
    (await withTable(join(folder, 'table'), moved, (crawl) => step.isDone!(crawl, soaked, web.requests > requests)));

  async function run(args: readonly string[], isMain: boolean): Promise<void> {
    const verb =
      args[0] === 'export' || args[0] === 'rules'
        ? args.slice(0, 2).join(' ')
        : step.serves && isMain
          ? `${args[0]} --serve`
          : args[0]!;
    for (let tries = 0; ; tries++) {
      const { child, ended } = startCommand(folder, [...args, ...PATIENT, ...SETTINGS, '--verbose'], { env });
      const after = killer.next(tries);
      let timer: NodeJS.Timeout | undefined;
      let since = performance.now();
      void said(child, OPENS).then(() => {
        since = performance.now();
        if (after !== undefined) timer = setTimeout(() => child.kill('SIGKILL'), after);
      });
      let isStopped = false;
      if (isMain && step.serves) {
        void untilRest(child).then(() => (isStopped = child.kill('SIGINT')));
      }
      const { code, err } = await ended;
      clearTimeout(timer);
      if (isMain) worked = performance.now() - since;
      if (child.signalCode !== 'SIGKILL') {
        // generate and rules end with 1 if they find nothing to do.
        if (
          code === 0 ||
          (isStopped && code === 130) ||
          (verb === 'generate' && code === 1) ||
          (tries > 0 && err.includes(IS_THERE)) ||
          (verb.startsWith('rules ') && code === 1)
        )
          return;
        // The process that had the table open for this one was killed.
        if (verb.startsWith('rules ') && !isMain && (code === 69 || code === 74)) continue;
        // Another step changed the rules in the meantime, so no rule was added.
        if (verb === 'rules propose' && err.includes('[STALE_PROPOSAL]')) continue;
        throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
      }
      killer.onKill(verb);
      if (isMain && (await isDone())) return;
    }
  }

  await Promise.all([step.args, ...(step.beside ?? [])].map((args, i) => run(args(soaked), i === 0)));
  return worked;
}
