import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { RoundStep, RoundsEvent, Runner } from '../../../packages/webcrawl/internal.js';
import { CrawlError, defined } from '../../../packages/webcrawl/names.js';
import type { Library } from '../../library.js';
import { EXIT, runJob, tableLocation, type Cli } from '../../cli.js';
import { askForContact } from '../../contact.js';
import { readSeeds, reportRejections } from '../../input/seeds.js';
import { wholeNumber } from '../../options/arguments.js';
import { addRequestOptions, requestSettings, type RequestOptions } from '../../options/request-options.js';
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

export function addRounds(program: Command, cli: Cli): void {
  const command = program
    .command('rounds')
    .summary('crawl with many workers that share one table')
    .description(
      'Repeats these steps until nothing is due: generate, fetch and parse, updatedb, and index if the table has a ' +
        'search index. Each step runs in one worker for each shard of the table. The workers are processes on this machine, an array job of ' +
        'Slurm, or an Indexed Job of Kubernetes. After a stop or a kill, the same command continues.',
    )
    .argument('[seed...]', 'URLs, files of seed lines, or - for standard input, to inject first')
    .requiredOption('--shards <n>', 'number of parts of the table, each with its own worker', wholeNumber(1))
    .addOption(
      new Option('--runner <where>', 'how to start the workers')
        .choices(['local', 'slurm', 'kubernetes'])
        .default('local'),
    )
    .option('--parallel <n>', 'maximum number of workers at a time (default: one for each shard)', wholeNumber(1))
    .option(
      '--template <file>',
      'file that runs a worker: a batch script for Slurm, or the manifest of a Kubernetes Job',
    )
    .option(
      '--logs <folder>',
      'with --runner slurm: folder for the logs of the workers, shared by all nodes (default: .)',
    )
    .option('--rounds <n>', 'maximum number of rounds', wholeNumber(1))
    .option('--top-n <n>', 'maximum number of pages in a round, divided among the shards', wholeNumber(1))
    .option('--threads <n>', 'maximum number of requests in flight, for each worker', wholeNumber(1));
  addScopeOptions(command);
  addRequestOptions(command)
    .addHelpText('after', HELP)
    .action(
      async (
        args: string[],
        { runner, shards, parallel, rounds: most, topN, template, logs, ...options }: RoundsOptions,
      ) => {
        const seeds = args.length > 0 ? readSeeds(cli, args, requestSettings(options)) : undefined;
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
              ...defined({ signal, rounds: most, topN }),
              ...(seeds && {
                seeds: seeds.lines,
                retryDenied: (line: number) => seeds.isArgument(line),
                onRejected: reportRejections(cli.io, seeds),
                ...defined({ stay, depth, include, exclude }),
              }),
            });
          },
          { alone: false },
        );
        // The exit status tells the scheduler of this driver to run it again.
        if (report.interrupted) cli.exitCode = EXIT.tryAgain;
      },
    );
}

const HELP = `
It needs a table that processes share, such as hbase://gateway:9090/crawl. All state of the driver is in the
table: after a kill, the same command continues the open batch. A worker that is killed, or exits with 75 (try
again), is restarted, with growing pauses. Any other failure of a worker ends the command with the message of
the worker. On Ctrl-C or SIGTERM the driver stops its workers, waits for them, and exits with 75.

With seeds, the table keeps --stay, --depth, --include and --exclude, as with webcrawl crawl. Without seeds, the
stored values are used.

With --runner slurm or kubernetes the workers get the same --table, --config and --set. The files that these
name must exist on every node.

Examples:
  webcrawl rounds seeds.txt --table hbase://gw1:9090,gw2:9090/crawl --shards 8
  webcrawl rounds --table hbase://gateway:9090/crawl --shards 64 \\
      --runner kubernetes --template worker-job.yaml`;

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
  if (logs !== undefined && runner !== 'slurm') throw new CrawlError('USAGE', '--logs needs --runner slurm');
  if (template !== undefined && runner === 'local') {
    throw new CrawlError('USAGE', '--template needs --runner slurm or kubernetes');
  }
  if (runner === 'slurm') {
    return slurmRunner({ command, ...defined({ parallel, template, folder: logs }) });
  }
  if (runner !== 'kubernetes') return localRunner({ command, ...some, env: io.env });
  if (template === undefined) {
    throw new CrawlError('USAGE', '--runner kubernetes needs --template, the manifest of a Job that runs a worker', {
      hint: 'config/deploy/kubernetes/worker-job.yaml of the package is an example',
    });
  }
  return kubernetesRunner({ template, ...some });
}

/** Returns the arguments of a worker other than its job: the global options of this command and, for fetch, the options for requests. */
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

/** Returns a function that prints one line for each event, except for workers that ended without an error. */
function sayEvents({ io, options }: Cli): (event: RoundsEvent) => void {
  const { quiet, verbose } = options();
  return (event) => {
    const text = quiet ? undefined : eventText(event, verbose === true);
    if (text !== undefined) say(io, safeLines(text));
  };
}

function eventText(event: RoundsEvent, isVerbose: boolean): string | undefined {
  if (event.kind === 'round') {
    return `round ${event.round}: ${event.isNew ? 'new batch' : 'continues with batch'} ${event.batchId}`;
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
  const next = againIn === undefined ? '' : `, restarts in ${number(againIn / 1000, 0)} s`;
  return `  shard ${exit.shard} of ${step} ${how}${next}`;
}
