import { CrawlError, safeText, type ChangeKind, type CrawlContext } from '../core/index.js';

/** A message that failed and waits for another attempt. */
export interface Waiting {
  /** The cursor of the log entry that the message tells. */
  readonly cursor: string;
  /** When the first attempt was made, in ms since the epoch. `dueAt` is the time of the next attempt. */
  readonly firstAttemptAt: number;
  readonly dueAt: number;
  readonly attempts: number;
  /** Why the last attempt failed: `http_500`, or the code of a network failure. */
  readonly why: string;
  /** Present if the message tells that changes were removed before they were sent: the start of these changes, in ms since the epoch. */
  readonly lostSince?: number;
}

/** A message that was given up. */
export interface DeadLetter extends Omit<Waiting, 'dueAt'> {
  /** When the message was given up, in ms since the epoch. */
  readonly givenUpAt: number;
}

/** A target of changes, and its position in the log. URLs and reasons are untrusted. */
export interface ChangeTarget {
  readonly target: string;
  readonly kinds?: readonly ChangeKind[];
  readonly host?: string;
  /** When the target was added, in ms since the epoch. */
  readonly addedAt: number;
  /** Each change up to this cursor was delivered, was given up, or is among the waiting messages. */
  readonly cursor: string;
  readonly waiting: readonly Waiting[];
  /** No message is sent before this time, in ms since the epoch. */
  readonly notBefore: number;
  /** Number of failed attempts since the last success. */
  readonly failures: number;
  readonly delivered: number;
  /** Number of messages that were given up. `deadLetters` has the last ones. */
  readonly dead: number;
  readonly deadLetters: readonly DeadLetter[];
  /** When the target returned 410: it wants no more messages, in ms since the epoch. Absent: it did not. */
  readonly endedAt?: number;
}

export interface TargetState extends ChangeTarget {
  /** The name of the sender in charge. A sender that finds another name here ends. */
  readonly sender: string;
}

/** At this number, no new message is sent. */
export const MAX_WAITING_MESSAGES = 100;
export const MAX_STORED_GIVEN_UP = 20;

export function newTarget(given: Pick<TargetState, 'target' | 'addedAt' | 'cursor' | 'sender'>): TargetState {
  return { ...given, waiting: [], notBefore: 0, failures: 0, delivered: 0, dead: 0, deadLetters: [] };
}

/** Returns a stored value as a state; undefined if the value is not a state. */
export function stateOf(value: object | undefined): TargetState | undefined {
  const found: Partial<TargetState> | undefined = value;
  return typeof found?.target === 'string' && typeof found.cursor === 'string' ? (found as TargetState) : undefined;
}

/**
 * @param found the stored value
 * @throws CrawlError LEASE_LOST if the target has another sender, or was removed
 */
export function mustBeSender(found: object | undefined, { target, sender }: TargetState): undefined {
  const known = stateOf(found);
  if (known?.sender === sender) return undefined;
  const where = safeText(target, 200);
  throw known
    ? new CrawlError('LEASE_LOST', `expected to be the only sender to ${where}, found another one`, {
        hint: 'run only one `webcrawl watch` for a target; the one that was started last continues',
      })
    : new CrawlError('LEASE_LOST', `expected the target ${where}, found that it was removed`, {
        hint: 'run the same command again to add the target again',
      });
}

export async function changeTargets({ tables }: Pick<CrawlContext, 'tables'>): Promise<readonly ChangeTarget[]> {
  const states = (await tables.watches.list()).map(stateOf).filter((state) => state !== undefined);
  return states.map(({ sender: _, ...rest }) => rest);
}

/**
 * Removes a target with its position. A running sender to this target then ends.
 * @returns whether the target existed
 */
export async function removeChangeTarget({ tables }: Pick<CrawlContext, 'tables'>, target: string): Promise<boolean> {
  let isKnown = false;
  await tables.watches.change(target, (before) => {
    isKnown = before !== undefined;
    return isKnown ? 'remove' : undefined;
  });
  return isKnown;
}
