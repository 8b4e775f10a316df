import {
  htmlDocument,
  isPage,
  urlOf,
  type Field,
  type HtmlDocument,
  type PageRow,
  type Settings,
  once,
} from '../../core/index.js';
import { createContext, Script } from 'node:vm';

export const DOCUMENT_FIELDS = ['content', 'contentType', 'parseStatus'] as const satisfies readonly Field[];

/** A row in the form that computed fields read. Data derived from the row is made once, and all fields share it. */
export interface PageView {
  readonly row: PageRow<Field>;
  readonly url: string;
  /**
   * The tree of an HTML page. It must not be changed. Undefined: the page has no body, its media type is another one, or parsing took
   * longer than `parser.timeout`.
   */
  document(): HtmlDocument | undefined;
  /** Returns the same tree as `document`, for a caller that changes the tree. Later calls get a new tree. */
  takeDocument(): HtmlDocument | undefined;
  /** Counts a step of a computation that runs in `within`. */
  readonly step: () => void;
  /**
   * Returns the result of a computation. Undefined: it has no result, or it had too many steps, or all computations of the page took longer
   * than `parser.timeout`. The last two are counted as `field_over_limit`.
   */
  within<T>(compute: () => T): T | undefined;
  /** Counts skipped data, by the name of a counter of exports. */
  count(name: SkippedCounter): void;
}

/** The counters of computed fields. */
export type SkippedCounter = 'broken_json_ld' | 'field_over_limit';

/** Called for data that computed fields skip. */
export type CountSkipped = (name: SkippedCounter) => void;

/** Whether a row has a page. If only the last fetch failed and will be retried, the row still has its earlier page. */
export function hasPage({ status, parseStatus }: PageRow<'status' | 'parseStatus'>): boolean {
  return isPage(status) || ((status === 'unfetched' || status === 'retry') && parseStatus?.code === 'success');
}

const views = new WeakMap<PageRow<Field>, PageView>();

/** The view of a row that has the fields {@link DOCUMENT_FIELDS}. All callers get the same view. */
export function pageView(row: PageRow<Field>, settings: Settings, count: CountSkipped = () => {}): PageView {
  let view = views.get(row);
  if (!view) views.set(row, (view = makeView(row, settings, count)));
  return view;
}

function makeView(row: PageRow<Field>, settings: Settings, count: CountSkipped): PageView {
  const url = urlOf(row.key);
  let made: { readonly document: HtmlDocument | undefined } | undefined;
  const document = (): HtmlDocument | undefined => (made ??= { document: makeDocument(row, settings) }).document;
  const limits = new PageLimits(settings.parser.timeout);
  return {
    row,
    url,
    document,
    takeDocument() {
      const taken = document();
      // If making a tree took too long, it is not tried again.
      if (taken) made = undefined;
      return taken;
    },
    step: limits.step,
    within(compute) {
      // The tree has its own time limit.
      document();
      const result = limits.run(compute);
      if (!result) count('field_over_limit');
      return result?.value;
    },
    count,
  };
}

function makeDocument(
  { content, contentType = 'text/html', parseStatus }: PageRow<Field>,
  settings: Settings,
): HtmlDocument | undefined {
  if (content === undefined) return undefined;
  return htmlDocument({ content, contentType, charset: parseStatus?.charset }, settings);
}

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
class PageLimits {
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
