import { urlSteps, type Plugin } from '../../plugin-api/index.js';
import { signatureOf } from '../context.js';
import type { ParseContext } from './parse-page.js';

/** How much of the work on a page a thread does. The main thread does the rest, with what only it has. */
export interface ThreadShare {
  /** The plugins in force, by their places in the list that the thread made, in order of call. */
  readonly plugins: readonly number[];
  /** So many of the first steps of the URL chain. */
  readonly steps: number;
  readonly signs: boolean;
  /** Nothing is left for the main thread but to store the result. */
  readonly finishes: boolean;
}

/**
 * What a thread can do with the plugins that it has twins of: it parses, and goes through the URL chain up to the first
 * plugin that was handed in as an object.
 * @param shared the plugins that threads have twins of, in the order of theirs
 */
export function threadShare(crawl: Pick<ParseContext, 'plugins'>, shared: readonly Plugin[]): ThreadShare {
  const { plugins } = crawl;
  const places: number[] = [];
  let isOnPageShared = true;
  for (const plugin of plugins) {
    const place = shared.indexOf(plugin);
    if (place >= 0) places.push(place);
    else if (plugin.onPage) isOnPageShared = false;
  }
  const chain = urlSteps(plugins);
  let steps = 0;
  while (steps < chain.length && shared.includes(chain[steps]!.of)) steps++;
  const signs = shared.includes(signatureOf(crawl));
  return { plugins: places, steps, signs, finishes: steps === chain.length && signs && isOnPageShared };
}
