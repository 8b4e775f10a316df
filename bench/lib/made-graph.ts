import type { LinkRow } from '../../packages/webcrawl/index.js';

/** A made graph: hosts of a thousand pages, of which one in five has no links. */
export interface GraphPlan {
  readonly pages: number;
  /** Links on average over all pages: half of them within the host, half to anywhere, to some pages far more often. */
  readonly links: number;
}

const PER_HOST = 1000;
const NONE_OF = 5;

/** Its rows in key order, as the table would give them; always the same. */
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
