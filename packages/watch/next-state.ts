import { retryAfter, type Outcome } from './schedule.js';
import { MAX_STORED_GIVEN_UP, type TargetState, type Waiting } from './target-state.js';

export interface Attempt {
  readonly cursor: string;
  /** The earlier failure of the message. Absent in the first attempt. */
  readonly before?: Waiting;
  /** The same as in {@link Waiting}. */
  readonly lostSince?: number;
}

/**
 * Returns the state of a target after an attempt. If the message failed, the same write stores the message and moves the cursor. Therefore
 * a message is always in exactly one of four states: after the cursor, waiting, delivered or given up.
 * @param now ms since the epoch
 * @param random from 0 to 1
 */
export function nextState(
  state: TargetState,
  { cursor, before, lostSince }: Attempt,
  outcome: Outcome,
  { now, random }: { readonly now: number; readonly random: number },
): TargetState {
  // The subscription has ended. The remaining messages stay as they are.
  if (outcome.is === 'ended') return { ...state, endedAt: now };
  const others = state.waiting.filter((each) => each !== before);
  const moved = { ...state, waiting: others, ...(!before && { cursor }) };
  if (outcome.is === 'delivered') return { ...moved, failures: 0, notBefore: 0, delivered: state.delivered + 1 };
  const { why, pause } = outcome;
  const attempts = (before?.attempts ?? 0) + 1;
  const wait = retryAfter(attempts, random);
  const failed = { ...moved, failures: state.failures + 1, notBefore: Math.max(state.notBefore, now + pause) };
  const message = {
    cursor,
    firstAttemptAt: before?.firstAttemptAt ?? now,
    attempts,
    why,
    ...(lostSince !== undefined && { lostSince }),
  };
  if (wait === undefined) return givenUp(failed, message, now);
  return { ...failed, waiting: [...others, { ...message, dueAt: now + wait }] };
}

/**
 * Returns the state of a target after a message was given up.
 * @param now ms since the epoch
 */
export function givenUp(state: TargetState, message: Omit<Waiting, 'dueAt'>, now: number): TargetState {
  const { cursor, firstAttemptAt, attempts, why, lostSince } = message;
  const letter = {
    cursor,
    firstAttemptAt,
    attempts,
    why,
    ...(lostSince !== undefined && { lostSince }),
    givenUpAt: now,
  };
  return {
    ...state,
    waiting: state.waiting.filter((each) => each.cursor !== cursor),
    dead: state.dead + 1,
    deadLetters: [...state.deadLetters, letter].slice(-MAX_STORED_GIVEN_UP),
  };
}
