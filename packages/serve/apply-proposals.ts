import { CrawlError } from '../errors/index.js';
import { problemOf } from './http/errors.js';
import type { LastApplied } from './pages/proposals-page.js';
import type { RulesSource } from './source.js';

const MAX_STORED_RESULTS = 100;

export type Applying = ReturnType<typeof createApplying>;

/** Applies proposals, one at a time, and stores the result for the browser that sent the request. */
export function createApplying(rules: RulesSource) {
  const closing = new AbortController();
  // The results of browsers, by token. Each browser has its own token.
  const outcomes = new Map<string, LastApplied>();
  let running: Promise<void> | undefined;

  async function run(token: string, list: string, number: number): Promise<void> {
    const keep = (outcome?: LastApplied['outcome']): void => {
      outcomes.delete(token);
      outcomes.set(token, { number, ...(outcome && { outcome }) });
      const [oldest] = outcomes.keys();
      if (outcomes.size > MAX_STORED_RESULTS) outcomes.delete(oldest!);
    };
    keep();
    try {
      closing.signal.throwIfAborted();
      keep({ added: await rules.applyProposal(list, number, closing.signal) });
    } catch (error) {
      keep({ problem: closing.signal.aborted ? STOPPED : reasonOf(error) });
    }
  }

  return {
    get isBusy() {
      return running !== undefined;
    },
    lastOf: (token: string | undefined): LastApplied | undefined =>
      token === undefined ? undefined : outcomes.get(token),
    /**
     * Applies a proposal. The promise never rejects, and resolves when the proposal was applied or refused. This may take as long as
     * reading the whole table.
     */
    apply(token: string, list: string, number: number): Promise<void> {
      return (running = run(token, list, number).finally(() => (running = undefined)));
    },
    async close(): Promise<void> {
      closing.abort();
      await running;
    },
  };
}

const STOPPED = 'the server was stopped before the proposal was checked.';

/**
 * Returns the reason of a failure. For an error of the user, the reason is the full message. For an internal error, the reason is only the
 * meaning of the code.
 */
function reasonOf(error: unknown): string {
  if (error instanceof CrawlError && SAID.has(error.code)) return `${error.message}.`;
  const { message, hint } = problemOf(error);
  return hint === undefined ? message : `${message}; ${hint}.`;
}

const SAID: ReadonlySet<string> = new Set(['STALE_PROPOSAL', 'UNKNOWN_PROPOSAL', 'BAD_RULE']);
