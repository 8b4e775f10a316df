import { Option, type Command } from 'commander';
import type {
  ChangeKind,
  ChangeTarget,
  SendChangesOptions,
  SendEvent,
  SentChanges,
} from '../../../packages/webcrawl/internal.js';
import { CHANGE_KINDS, CrawlError, RENAMED_KINDS, defined, tryParseUrl } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { eachGiven, listOf } from '../../options/arguments.js';
import { MOMENT, momentOrMark } from '../../options/moment.js';
import { jsonLine, number, oneLine, quantity, say, write } from '../../output/output.js';

interface Options extends Pick<SendChangesOptions, 'host' | 'since' | 'once' | 'allowPrivate'> {
  readonly to?: string;
  readonly secret?: readonly string[];
  readonly kind?: readonly ChangeKind[];
  readonly list?: boolean;
  readonly remove?: boolean;
}

const SECRET = 'WEBCRAWL_WATCH_SECRET';

export function addWatch(program: Command, cli: Cli): void {
  program
    .command('watch')
    .summary('send the changes of pages to a URL, as webhooks')
    .description(
      'Sends each change of a page to a URL, until it is stopped. A change is a message with a signature, as Standard Webhooks defines it. ' +
        'The same message can arrive more than once. The table stores the position of the target: after a stop or a kill the same command ' +
        'continues. It only reads the change log, so a crawl may run at the same time.',
    )
    .option('--to <url>', 'URL to send to, with https')
    .option(
      '--secret <secret>',
      `secret to sign with: whsec_ and 24 to 64 bytes in base64; may be given twice (default: the environment variable ${SECRET})`,
      eachGiven,
    )
    .option(
      '--kind <kinds>',
      'only changes of these kinds, separated by commas; stored with the target',
      listOf(CHANGE_KINDS, RENAMED_KINDS),
    )
    .option('--host <host>', 'only pages of this host; stored with the target')
    .option('--since <time>', `time or mark at which a new target begins: ${MOMENT} (default: now)`, momentOrMark)
    .option('--once', 'send the present changes, then end; exits with 75 when some are left')
    .option('--allow-private', 'allow http URLs and addresses of private networks too')
    .addOption(new Option('--list', 'list the targets').conflicts(['to', 'once', 'remove']))
    .option('--remove', 'remove the target of --to; exits with 1 when no such target is stored')
    .addHelpText('after', HELP)
    .action((options: Options) => run(cli, options));
}

const HELP = `
A message is JSON: { "type": "page.changed", "timestamp": …, "data": { "url", "kinds", "at", "between", "before",
"after", "cursor" } }, at most 20 kB. Its webhook-id is the same in each attempt, so a receiver can drop messages
that it already has. Other types: host.failed; changes.lost, if changes were removed before they were sent.

To replace a secret, give both for a while: two --secret, or two secrets in ${SECRET} with a blank between them.

Only 2xx is success, and redirects are not followed. A failed message is sent again after 5 s, 5 min, 30 min, 2 h,
5 h, 10 h, 14 h, 20 h and 24 h, while new messages are sent. Then it is given up and counted: webcrawl watch
--list shows the number. A 410 response ends the subscription; after --remove you may start it again. After 429,
502, 503, 504, Retry-After or no response, delivery is paused.

Examples:
  export ${SECRET}="whsec_$(openssl rand -base64 32)"
  webcrawl watch --to https://hooks.example.com/docs
  webcrawl watch --to https://hooks.example.com/docs --kind content,gone \\
      --since 7d --once
  webcrawl watch --list`;

async function run(cli: Cli, options: Options): Promise<void> {
  const { to } = options;
  if (options.list) return list(cli);
  if (to === undefined) {
    throw new CrawlError('USAGE', 'no --to with a URL, and no --list', {
      hint: 'webcrawl watch --to https://hooks.example.com/docs',
    });
  }
  if (options.remove) return remove(cli, to);
  const { kind: kinds, secret, list: _, remove: __, ...rest } = options;
  const secrets = secret ?? (cli.io.env[SECRET] ?? '').split(/\s+/).filter((each) => each !== '');
  await using crawl = await open(cli, { name: 'watch', yields: true });
  const { sendChanges } = await library();
  const sent = await sendChanges(crawl, {
    ...(defined({ ...rest, kinds }) as Omit<SendChangesOptions, 'to' | 'secrets'>),
    to,
    secrets,
    signal: cli.io.signal,
    onAttempt: sayAttempt(cli),
  });
  await report(cli, sent, options.once ?? false);
}

async function report(cli: Cli, sent: SentChanges, isOnce: boolean): Promise<void> {
  const { io } = cli;
  const { json = false, quiet = false } = cli.options();
  const { delivered, failed, dead, waiting, more, ended } = sent;
  if (json) await write(io.stdout, jsonLine(sent));
  else if (!quiet) {
    const parts = [
      `${quantity(delivered, 'message')} delivered`,
      failed > 0 && `${quantity(failed, 'attempt')} failed`,
      dead > 0 && `${number(dead)} given up`,
      waiting > 0 && `${number(waiting)} waiting for a retry`,
    ].filter((part) => part !== false);
    say(io, `${parts.join(', ')}.`);
  }
  if (ended) {
    if (!quiet) say(io, 'The target wants no more messages: it has returned 410. --remove removes it.');
    cli.exitCode = EXIT.nothing;
  } else if (io.signal.aborted) cli.exitCode = EXIT.interrupted;
  else if (isOnce && more) cli.exitCode = EXIT.tryAgain;
}

function sayAttempt({ io, options }: Cli): (event: SendEvent) => void {
  return ({ id, of = 'changes that were removed', is, why = '', attempts, retryAt }) => {
    const { quiet, verbose } = options();
    if (is === 'dead') say(io, oneLine(`given up after ${attempts} attempts (${why}): ${id} ${of}`));
    else if (is === 'failed' && !quiet) {
      const next = retryAt === undefined ? '' : `, again at ${new Date(retryAt).toISOString()}`;
      say(io, oneLine(`failed (${why}${next}): ${id} ${of}`));
    } else if (is === 'delivered' && verbose) say(io, oneLine(`delivered: ${id} ${of}`));
  };
}

async function list(cli: Cli): Promise<void> {
  const { io } = cli;
  const { json = false, quiet = false } = cli.options();
  await using crawl = await open(cli, { name: 'watch' });
  const { changeTargets } = await library();
  const found = await changeTargets(crawl);
  for (const target of found) await write(io.stdout, json ? jsonLine(target) : textOf(target));
  if (found.length > 0) return;
  if (!quiet) say(io, 'There is no target. webcrawl watch --to <url> adds one.');
  cli.exitCode = EXIT.nothing;
}

function textOf({ target, delivered, waiting, dead, deadLetters, cursor, endedAt, notBefore }: ChangeTarget): string {
  const time = (ms: number): string => new Date(ms).toISOString();
  const lines = [
    `delivered ${number(delivered)}, waiting ${number(waiting.length)}, given up ${number(dead)}`,
    `up to ${time(Number.parseInt(cursor, 16))}`,
    ...(endedAt === undefined ? [] : [`the target ended it at ${time(endedAt)}`]),
    ...(notBefore > Date.now() ? [`paused until ${time(notBefore)}`] : []),
    ...waiting.map(
      ({ dueAt, attempts, why, cursor: of }) => `waits until ${time(dueAt)}, ${attempts} failed (${why}): ${of}`,
    ),
    ...deadLetters.map(
      ({ givenUpAt, attempts, why, cursor: of }) =>
        `given up at ${time(givenUpAt)}, ${attempts} failed (${why}): ${of}`,
    ),
  ];
  return `${oneLine(target)}\n${lines.map((line) => `  ${oneLine(line)}\n`).join('')}`;
}

async function remove(cli: Cli, to: string): Promise<void> {
  await using crawl = await open(cli, { name: 'watch' });
  const { removeChangeTarget } = await library();
  const isKnown = await removeChangeTarget(crawl, tryParseUrl(to)?.href ?? to);
  if (isKnown) return;
  say(cli.io, 'No changes are sent to this URL: webcrawl watch --list shows the targets.');
  cli.exitCode = EXIT.nothing;
}
