import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { RoundStep, RoundsEvent, Runner } from '../../../packages/webcrawl/index.js';
import { CrawlError } from '../../../packages/webcrawl/names.js';
import type { Library } from '../../library.js';
import { EXIT, runJob, tableLocation, type Cli } from '../../cli.js';
import { askForContact } from '../../contact.js';
import { readSeeds, reportRejections } from '../../input/seeds.js';
import { wholeNumber } from '../../options/arguments.js';
import { addRequestOptions, type RequestOptions } from '../../options/request-options.js';
import { addScopeOptions, type ScopeOptions } from '../../options/scope-options.js';
import { number, quantity, safeLines, say } from '../../output/output.js';

interface RoundsOptions extends RequestOptions, ScopeOptions {
  readonly shards: number;
  readonly runner: 'local' | 'slurm' | 'kubernetes';
  readonly parallel?: number;
  readonly rounds?: number;
  readonly topN?: number;
  readonly threads?: number;
  readonly template?: string;
  readonly logs?: string;
}

/** `rounds [seed…]`: all jobs in rounds, each step by many workers at once. */
export function addRounds(program: Command, cli: Cli): void {
  const command = program
    .command('rounds')
    .summary('crawl with many workers on a table that processes share')
    .description(
      'Repeats generate, fetch with parse and updatedb (and index, where a search index reads what was updated) until nothing is ' +
        'due. Each step is done by workers, one for each shard of the table: processes on this machine, an array job of Slurm, or ' +
        'an Indexed Job of Kubernetes. Stopped or killed, the same command goes on where it was.',
    )
    .argument('[seed...]', 'URLs, files of seed lines, or - for standard input; injected first')
    .requiredOption('--shards <n>', 'parts of the table, each with a worker of its own', wholeNumber(1))
    .addOption(
      new Option('--runner <where>', 'what starts the workers')
        .choices(['local', 'slurm', 'kubernetes'])
        .default('local'),
    )
    .option('--parallel <n>', 'workers at a time at the most (default: one for each shard)', wholeNumber(1))
    .option(
      '--template <file>',
      'the batch script of Slurm, or the manifest of a Job of Kubernetes, that runs a worker',
    )
    .option('--logs <folder>', 'with --runner slurm: where workers write, a folder that all nodes share (default: .)')
    .option('--rounds <n>', 'rounds at the most', wholeNumber(1))
    .option('--top-n <n>', 'pages of a round at the most, dealt out over the shards', wholeNumber(1))
    .option('--threads <n>', 'requests in flight of each worker at the most', wholeNumber(1));
  addScopeOptions(command);
  addRequestOptions(command)
    .addHelpText('after', HELP)
    .action(
      async (
        args: string[],
        { runner, shards, parallel, rounds: most, topN, template, logs, ...options }: RoundsOptions,
      ) => {
        const seeds = args.length > 0 ? readSeeds(args, cli.io.stdin) : undefined;
        const { stay, depth, include, exclude } = options;
        const report = await runJob(
          cli,
          'rounds',
          (crawl, { signal }, library) => {
            askForContact(cli, crawl);
            return library.rounds(crawl, {
              shards,
              runner: runnerOf(library, cli, { runner, parallel, template, logs }),
              workerArgs: workerArgs(cli, options),
              onEvent: sayEvents(cli),
              ...(signal && { signal }),
              ...(most !== undefined && { rounds: most }),
              ...(topN !== undefined && { topN }),
              ...(seeds && {
                seeds: seeds.lines,
                retryDenied: (line: number) => seeds.isArgument(line),
                onRejected: reportRejections(cli.io, seeds),
                ...(stay && { stay }),
                ...(depth !== undefined && { depth }),
                ...(include && { include }),
                ...(exclude && { exclude }),
              }),
            });
          },
          { alone: false },
        );
        // For a scheduler that runs the driver: once more.
        if (report.interrupted) cli.exitCode = EXIT.tryAgain;
      },
    );
}

const HELP = `
For a table that processes share, such as hbase://gateway:9090/crawl. What the driver goes by is in the
table alone: killed and run again it goes on with the batch under way. A worker that is killed, or that
exits with 75 (try again), is started again, later each time; one that exits with another status ends
all, with its message. Stopped by Ctrl-C or SIGTERM the driver asks its workers to stop, waits for them,
and exits with 75.

With seeds, --stay, --depth, --include and --exclude are noted in the table as by webcrawl crawl; without,
those of before hold.

With --runner slurm or kubernetes the workers get the same --table, --config and --set: what these name
must be there on every node.

Examples:
  webcrawl rounds seeds.txt --table hbase://gw1:9090,gw2:9090/crawl --shards 8
  webcrawl rounds --table hbase://gw1:9090/crawl --shards 64 --runner slurm --logs /shared/logs
  webcrawl rounds --table hbase://gateway:9090/crawl --shards 64 --runner kubernetes --template worker-job.yaml`;

function runnerOf(
  { kubernetesRunner, localRunner, slurmRunner }: Library,
  { io }: Cli,
  {
    runner,
    parallel,
    template,
    logs,
  }: Record<'template' | 'logs', string | undefined> & {
    readonly runner: string;
    readonly parallel: number | undefined;
  },
): Runner {
  const some = parallel === undefined ? {} : { parallel };
  const command = [process.execPath, io.program];
  if (logs !== undefined && runner !== 'slurm') throw new CrawlError('USAGE', '--logs goes with --runner slurm');
  if (template !== undefined && runner === 'local') {
    throw new CrawlError('USAGE', '--template goes with --runner slurm or kubernetes');
  }
  if (runner === 'slurm') {
    return slurmRunner({
      command,
      ...some,
      ...(template !== undefined && { template }),
      ...(logs !== undefined && { folder: logs }),
    });
  }
  if (runner !== 'kubernetes') return localRunner({ command, ...some, env: io.env });
  if (template === undefined) {
    throw new CrawlError(
      'USAGE',
      'expected --template with --runner kubernetes, a manifest of a Job that runs a worker',
      {
        hint: 'config/deploy/kubernetes/worker-job.yaml of the package is one',
      },
    );
  }
  return kubernetesRunner({ template, ...some });
}

/** What the command of a worker gets besides its job: the global options of this one, and for fetch how to make requests. */
function workerArgs(cli: Cli, options: Pick<RoundsOptions, 'threads' | 'delay' | 'agent' | 'header'>) {
  const { config, set = {} } = cli.options();
  const { threads, delay, agent, header = {} } = options;
  const all = [
    ...['--json', '--quiet', '--table', tableLocation(cli)],
    ...(config === undefined ? [] : ['--config', resolve(config)]),
    ...Object.entries(set).flatMap(([key, value]) => ['--set', `${key}=${value}`]),
  ];
  const ofFetch = [
    ...(threads === undefined ? [] : ['--threads', String(threads)]),
    ...(delay === undefined ? [] : ['--delay', String(delay)]),
    ...(agent === undefined ? [] : ['--agent', agent]),
    ...Object.entries(header).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
  ];
  return (step: RoundStep): readonly string[] => (step === 'fetch' ? [...ofFetch, ...all] : all);
}

/** A line for each thing that happens, but for workers that end well. */
function sayEvents({ io, options }: Cli): (event: RoundsEvent) => void {
  const { quiet, verbose } = options();
  return (event) => {
    const text = quiet ? undefined : eventText(event, verbose === true);
    if (text !== undefined) say(io, safeLines(text));
  };
}

function eventText(event: RoundsEvent, isVerbose: boolean): string | undefined {
  if (event.kind === 'round') {
    return `round ${event.round}: ${event.isNew ? 'new batch' : 'goes on with batch'} ${event.batchId}`;
  }
  const { step, shards, count } = event.pass;
  if (event.kind === 'pass') {
    const pass = event.number === 1 ? '' : `, pass ${event.number}`;
    return `round ${event.round}: ${step}${pass} on ${shards.length === count ? quantity(count, 'shard') : `${shards.length} of ${count} shards`}`;
  }
  const { exit, againIn } = event;
  if (exit.exitCode === 0) {
    if (!isVerbose) return undefined;
    const done = exit.counters?.generated ?? exit.counters?.fetched ?? exit.counters?.added;
    return `  shard ${exit.shard} of ${step} is through${done === undefined ? '' : `: ${number(done)} pages`}`;
  }
  const how = exit.exitCode === null ? 'was killed' : `ended with ${exit.exitCode}`;
  const next = againIn === undefined ? '' : `, starts again in ${number(againIn / 1000, 0)} s`;
  return `  shard ${exit.shard} of ${step} ${how}${next}`;
}
