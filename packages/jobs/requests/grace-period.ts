import type { FetchOutcome } from '../../plugin-api/index.js';

/** Milliseconds that running requests may still take after a run has to stop. */
export const GRACE_PERIOD = 2000;

/** Whether a request was aborted because the run has to stop. The run treats such a request as not sent. */
export function isGivenUp({ code }: Pick<FetchOutcome, 'code'>, giveUp: AbortSignal): boolean {
  return giveUp.aborted && code === 'aborted';
}
