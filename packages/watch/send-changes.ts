import { randomUUID } from 'node:crypto';
import { logPlaces, readChanges } from '../changes/index.js';
import {
  CrawlError,
  PrivateAddressError,
  badPortOf,
  createPoster,
  defined,
  hostRange,
  messageOf,
  pause,
  safeText,
  timeOfCursor,
  tryParseUrl,
  type ChangeKind,
  type CrawlContext,
  type Poster,
} from '../core/index.js';
import { idOfChange, type Channel } from './message.js';
import { givenUp, nextState } from './next-state.js';
import { isLater, outcomeOf, type Outcome } from './schedule.js';
import { sendingAgain, sendingOf, sendingOfLost, type Sending } from './sending.js';
import { keyOfSecret, signedHeaders, type Message } from './sign.js';
import {
  MAX_WAITING_MESSAGES,
  mustBeSender,
  newTarget,
  stateOf,
  type TargetState,
  type Waiting,
} from './target-state.js';

/** Options of {@link sendChanges}: the target, and what is sent. */
export interface SendChangesOptions {
  /** The URL of the target. It must have https; with `allowPrivate`, it may have http. */
  readonly to: string;
  /** Secrets `whsec_…` that sign the messages, so that the receiver can verify the sender. Pass two while you replace one by the other. */
  readonly secrets: readonly string[];
  /** Kinds of changes to send. Default: for a known target, its stored kinds; for a new target, all kinds but `bytes`. */
  readonly kinds?: readonly ChangeKind[];
  /** Sends only changes of pages of this host. Default: for a known target, its stored host; for a new target, all hosts. */
  readonly host?: string;
  /** Where a new target begins: a time in ms since the epoch, or the name of a mark. Default: with the changes that are found from now on. */
  readonly since?: number | string;
  /** Whether to end after one attempt for each present change, instead of waiting for more. Default: false. */
  readonly once?: boolean;
  /** Whether to send to addresses outside the public web too. Default: false. */
  readonly allowPrivate?: boolean;
  /** Stops the sender. If a message is being sent at that moment, the next run sends it again. */
  readonly signal?: AbortSignal;
  /** Called after each attempt. */
  readonly onAttempt?: (event: SendEvent) => void;
}

/** An attempt to send a message, and how it ended. */
export interface SendEvent {
  readonly id: string;
  /** The page or the host that changed. undefined if changes were removed before they were sent. Untrusted. */
  readonly of: string | undefined;
  readonly is: 'delivered' | 'ended' | 'failed' | 'dead';
  /** Why the attempt failed. */
  readonly why?: string;
  readonly attempts: number;
  /** When the message is sent again, in ms since the epoch. */
  readonly retryAt?: number;
}

/** The counts of one run. */
export interface SentChanges {
  readonly delivered: number;
  /** Number of attempts that failed. */
  readonly failed: number;
  /** Number of messages that were given up. */
  readonly dead: number;
  /** Number of messages that failed and wait for another attempt. */
  readonly waiting: number;
  /** Whether messages are left for the next run: some wait, or the target requested a pause. */
  readonly more: boolean;
  /** Whether the target has returned 410: it wants no more messages. */
  readonly ended: boolean;
}

const ATTEMPT_TIMEOUT_MS = 20_000;
const POLL_MS = 1_000;
const CHANGES_PER_READ = 500;

/**
 * Sends changes to a URL. Each change is a message by Standard Webhooks, sent at least once. The position of the target is stored in the
 * table. After a kill, the next run continues from this position, and sends unfinished messages again with the same id. A message that
 * fails is retried over three days, while other messages are sent. Then it is given up and counted. If several senders send to one target,
 * only the last one continues.
 * @throws CrawlError USAGE for a wrong URL or secret, a private address, an unknown mark, and kinds or a host that differ from those of the
 * known target; BAD_URL for an invalid host; LEASE_LOST if another sender has taken over the target, or if the target was removed
 */
export async function sendChanges(crawl: CrawlContext, options: SendChangesOptions): Promise<SentChanges> {
  const url = urlOfTarget(options);
  if (options.host !== undefined) hostRange(options.host);
  if (options.secrets.length === 0) {
    throw new CrawlError('USAGE', 'no secret to sign with', {
      hint: 'make one with: echo "whsec_$(openssl rand -base64 32)"',
    });
  }
  const keys = options.secrets.map(keyOfSecret);
  const poster = createPoster(crawl, options.allowPrivate ?? false);
  try {
    return await send(crawl, options, { url, keys, poster });
  } finally {
    await poster.close();
  }
}

function urlOfTarget({ to, allowPrivate = false }: SendChangesOptions): URL {
  const url = tryParseUrl(to);
  const isRight = url?.protocol === 'https:' || (url?.protocol === 'http:' && allowPrivate);
  const badPort = url && badPortOf(url.href);
  if (badPort !== undefined) {
    throw new CrawlError('USAGE', `port ${badPort} is blocked by browsers`, {
      hint: 'a service of another protocol might read the message as a command',
    });
  }
  if (url && isRight && url.username === '' && url.password === '') return url;
  throw new CrawlError('USAGE', `expected a URL with https and no password, found "${safeText(to, 200)}"`, {
    hint: 'with --allow-private, http and addresses of the local network are allowed too',
  });
}

async function send(
  crawl: CrawlContext,
  options: SendChangesOptions,
  { url, keys, poster }: { readonly url: URL; readonly keys: readonly Buffer[]; readonly poster: Poster },
): Promise<SentChanges> {
  const { tables, clock, random } = crawl;
  const { once = false, signal, onAttempt } = options;
  const target = url.href;
  const channel: Channel = { tableId: await tables.id(), target };
  let state = await takeTarget(crawl, target, options);
  const sums = { delivered: 0, failed: 0, dead: 0 };

  /** Stores the state. @throws CrawlError LEASE_LOST */
  async function store(next: TargetState): Promise<void> {
    await tables.watches.change(target, (before) => {
      mustBeSender(before, next);
      return next;
    });
    state = next;
  }

  /** @throws CrawlError LEASE_LOST */
  const checkSender = (): Promise<void> => tables.watches.change(target, (before) => mustBeSender(before, state));

  async function post(message: Message): Promise<Outcome> {
    const headers = signedHeaders(message, keys, clock());
    try {
      const response = await poster.post(url, { headers, body: message.body }, ATTEMPT_TIMEOUT_MS, signal);
      return outcomeOf(response, state.failures + 1, clock());
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof PrivateAddressError) {
        throw new CrawlError('USAGE', `expected a target of the public web: ${messageOf(error)}`, {
          hint: 'with --allow-private, addresses of the local network are allowed too',
          cause: error,
        });
      }
      return outcomeOf({ error: networkReason(error) }, state.failures + 1, clock());
    }
  }

  async function attempt({ attempt: made, message, of }: Sending): Promise<void> {
    const outcome = await post(message);
    const next = nextState(state, made, outcome, { now: clock(), random: random() });
    const isDead = next.dead > state.dead;
    await store(next);
    const attempts = (made.before?.attempts ?? 0) + 1;
    const retry = next.waiting.find(({ cursor }) => cursor === made.cursor);
    if (outcome.is === 'delivered') sums.delivered++;
    if (outcome.is === 'failed') sums.failed++;
    if (isDead) sums.dead++;
    onAttempt?.({
      id: message.id,
      of,
      is: isDead ? 'dead' : outcome.is,
      attempts,
      ...(outcome.is === 'failed' && { why: outcome.why }),
      ...(outcome.is === 'failed' && retry && { retryAt: retry.dueAt }),
    });
  }

  /** Gives up a message because the log no longer has its change. */
  async function giveUp(message: Waiting): Promise<void> {
    await store(givenUp(state, { ...message, why: 'removed' }, clock()));
    sums.dead++;
    const { cursor, attempts } = message;
    onAttempt?.({ id: idOfChange(cursor, channel), of: undefined, is: 'dead', why: 'removed', attempts });
  }

  /** Sends the message again that is due first. @returns whether a message was due */
  async function retryDue(): Promise<boolean> {
    const due = state.waiting.filter((each) => !isLater(each.dueAt, clock())).sort((a, b) => a.dueAt - b.dueAt)[0];
    if (!due) return false;
    const sending = await sendingAgain(crawl, due, channel);
    if (sending) await attempt(sending);
    else await giveUp(due);
    return true;
  }

  /** Sends new changes. @returns whether a message was sent */
  async function sendNew(): Promise<boolean> {
    if (state.waiting.length >= MAX_WAITING_MESSAGES) return false;
    const { kinds, host, cursor } = state;
    const { isKnown, oldest } = await logPlaces(crawl, cursor);
    if (!isKnown) {
      await attempt(sendingOfLost(timeOfCursor(cursor), oldest, channel));
      return true;
    }
    const found = readChanges(crawl, {
      cursor,
      limit: CHANGES_PER_READ,
      ...defined({ kinds, host }),
    });
    let count = 0;
    for await (const record of found) {
      if (!mayGoOn()) return true;
      count++;
      await attempt(sendingOf(record, channel));
    }
    if (count > 0) return true;
    // All changes up to here were of other kinds, so the cursor moves past them.
    const next = await found.next();
    if (next !== cursor) await store({ ...state, cursor: next });
    return false;
  }

  const isOver = (): boolean => signal?.aborted === true || state.endedAt !== undefined;
  const isPaused = (): boolean => isLater(state.notBefore, clock());
  const mayGoOn = (): boolean => !isOver() && !isPaused() && state.waiting.length < MAX_WAITING_MESSAGES;

  try {
    while (!isOver()) {
      await checkSender();
      if (!isPaused() && ((await retryDue()) || (await sendNew()))) continue;
      if (once) break;
      await pause(POLL_MS, signal);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
  const { waiting, endedAt } = state;
  return { ...sums, waiting: waiting.length, more: waiting.length > 0 || isPaused(), ended: endedAt !== undefined };
}

/** Makes this run the sender of a target. A new target is created. */
async function takeTarget(
  crawl: CrawlContext,
  target: string,
  { kinds, host, since }: SendChangesOptions,
): Promise<TargetState> {
  const { tables, clock } = crawl;
  const begin = since === undefined ? (await logPlaces(crawl)).next : await readChanges(crawl, { since }).begin();
  const sender = randomUUID();
  let state: TargetState | undefined;
  await tables.watches.change(target, (before) => {
    const known = stateOf(before);
    if (known) checkSame(known, { kinds, host });
    state = known
      ? { ...known, sender }
      : { ...newTarget({ target, addedAt: clock(), cursor: begin, sender }), ...defined({ kinds, host }) };
    return state;
  });
  return state!;
}

/** @throws CrawlError USAGE if the options differ from what is stored for the target */
function checkSame(
  known: TargetState,
  { kinds, host }: { [K in 'kinds' | 'host']: SendChangesOptions[K] | undefined },
): void {
  const textOf = (list: readonly string[] = []): string => [...list].sort().join(',');
  const wrong =
    kinds !== undefined && textOf(kinds) !== textOf(known.kinds)
      ? ['kinds', textOf(known.kinds) || 'all but bytes', textOf(kinds)]
      : host !== undefined && host !== known.host
        ? ['host', known.host ?? 'all', host]
        : undefined;
  if (!wrong) return;
  const [what, kept = '', given = ''] = wrong;
  throw new CrawlError(
    'USAGE',
    `expected the ${what} that the target has, ${safeText(kept, 200)}, found ${safeText(given, 200)}`,
    {
      hint: 'webcrawl watch --to <url> --remove removes the target and its position; then it can be added with other options',
    },
  );
}

/** Returns the code of the reason why there was no response. */
function networkReason(error: unknown): string {
  const { name, code, cause } = error as { name?: string; code?: string; cause?: { code?: string } };
  if (name === 'TimeoutError') return 'timeout';
  return String(code ?? cause?.code ?? 'no_answer').toLowerCase();
}
