import { createContext, Script } from 'node:vm';
import { once } from '../../core/index.js';

/** Maximum number of steps for one field. The largest trees need less than a quarter. */
const MAX_STEPS = 1_000_000;

const TOO_MANY_STEPS = new Error('too many steps');

/** Runs a function with a time limit. Only another thread can end code that does not yield, and V8 has one for scripts. */
const timed = once(() => {
  const script = new Script('compute()');
  const context = createContext({ compute: undefined as unknown });
  return (compute: () => void, ms: number): void => {
    context['compute'] = compute;
    script.runInContext(context, { timeout: ms });
  };
});

/**
 * Limits the work for the computed fields of one page. Steps, such as the visit of a node, are counted for each field, so that the same
 * fields are left out on every machine. Time is the last resort, for all fields of the page together.
 */
export class PageLimits {
  #steps = 0;
  #msLeft: number;

  constructor(seconds: number) {
    this.#msLeft = seconds * 1000;
  }

  /** Counts a step of the running computation, and ends it if it has too many. */
  readonly step = (): void => {
    if (++this.#steps > MAX_STEPS) throw TOO_MANY_STEPS;
  };

  /** Returns the result of a computation. Undefined: it exceeded a limit. */
  run<T>(compute: () => T): { readonly value: T } | undefined {
    if (this.#msLeft <= 0) return undefined;
    let result: { readonly value: T } | undefined;
    const began = performance.now();
    this.#steps = 0;
    try {
      timed()(() => (result = { value: compute() }), Math.ceil(this.#msLeft));
    } catch (error) {
      // The timer may end the script a fraction of a millisecond early.
      if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') this.#msLeft = 0;
      else if (error !== TOO_MANY_STEPS) throw error;
    }
    this.#msLeft -= performance.now() - began;
    return result;
  }
}
