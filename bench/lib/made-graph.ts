import type { LinkRow } from '../../packages/webcrawl/internal.js';

/** A made-up graph: hosts with a thousand pages each; one page in five has no links. */
export interface GraphPlan {
  readonly pages: number;
  /** Average number of links of a page: half of them within the host, half to any page, and to some pages far more often. */
  readonly links: number;
}

const PER_HOST = 1000;
const NONE_OF = 5;

/** The rows of the graph in key order; always the same. */
export function* madeRows({ pages, links }: GraphPlan): Generator<LinkRow> {
  const each = Math.round((links / pages) * (NONE_OF / (NONE_OF - 1)));
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const seven = (n: number): string => String(n).padStart(7, '0');
  const urlOf = (n: number): string => `https://www.h${seven(Math.floor(n / PER_HOST))}.com/page/${seven(n)}`;
  for (let n = 0; n < pages; n++) {
    const found: string[] = [];
    const first = n - (n % PER_HOST);
    for (let i = 0; i < (n % NONE_OF === NONE_OF - 1 ? 0 : each); i++) {
      const near = i % 2 === 0;
      const target = near ? first + Math.floor(random() * PER_HOST) : Math.floor(random() ** 3 * pages);
      found.push(urlOf(Math.min(target, pages - 1)));
    }
    yield {
      key: `com.h${seven(Math.floor(n / PER_HOST))}.www:https/page/${seven(n)}`,
      status: 'fetched',
      links: found,
    };
  }
}
