// The web of the benchmark `memory`, as a list of plugins: the endless web, and a counter of new rows and links.
import type { Plugin } from '../../packages/webcrawl/internal.js';
import { answerOf } from '../lib/endless-web.js';
import { webWithoutNetwork } from '../lib/made-page.js';

/** Number of rows that this thread has made for links, and of links that it has passed to their target rows. Only the main thread makes any. */
export const made = { rows: 0, links: 0 };

const counter: Plugin = {
  name: 'row-counter',
  scoring: {
    initial(value) {
      made.rows += 1;
      return value;
    },
    distribute(values) {
      made.links += values.length;
      return values;
    },
  },
};

export default [webWithoutNetwork('endless-web', answerOf), counter];
