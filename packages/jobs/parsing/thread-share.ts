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
  const isShared = (plugin: Plugin): boolean => shared.includes(plugin);
  const steps = urlSteps(plugins);
  const first = steps.findIndex(({ of }) => !isShared(of));
  const signs = isShared(signatureOf(crawl));
  return {
    plugins: plugins.map((plugin) => shared.indexOf(plugin)).filter((place) => place >= 0),
    steps: first < 0 ? steps.length : first,
    signs,
    finishes: first < 0 && signs && plugins.every((plugin) => !plugin.onPage || isShared(plugin)),
  };
}
