import { messageOf } from '../../errors/index.js';

/** Milliseconds in which the same failure is reported once. */
const SAME_MS = 60_000;
/** Different failures that are remembered. */
const MOST = 100;

/**
 * Reports failures of which clients learn only the code: each once a minute, however often it is met.
 * @param report may throw, which changes nothing
 */
export function createErrorLog(report: (error: unknown) => void, now: () => number = () => performance.now()) {
  const reported = new Map<string, number>();
  return (error: unknown): void => {
    const message = messageOf(error);
    const at = reported.get(message);
    if (at !== undefined && now() - at < SAME_MS) return;
    if (reported.size >= MOST) reported.clear();
    reported.set(message, now());
    try {
      report(error);
    } catch {
      // A log that fails is no reason to answer nobody.
    }
  };
}
