import { messageOf } from '../../errors/index.js';

/** The same failure is reported only once in this time. */
const REPEAT_MS = 60_000;
const MAX_REMEMBERED_FAILURES = 100;

/**
 * Reports failures. Clients get only the code of a failure. The same failure is reported at most once a minute.
 * @param report reports one failure; if it throws, the error is ignored
 */
export function createErrorLog(report: (error: unknown) => void, now: () => number = () => performance.now()) {
  const reported = new Map<string, number>();
  return (error: unknown): void => {
    const message = messageOf(error);
    const at = reported.get(message);
    if (at !== undefined && now() - at < REPEAT_MS) return;
    if (reported.size >= MAX_REMEMBERED_FAILURES) reported.clear();
    reported.set(message, now());
    try {
      report(error);
    } catch {
      // A failing log must not prevent an answer.
    }
  };
}
