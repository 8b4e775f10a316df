// The web of the benchmark `memory`, as a list of plugins: that of `frontier`, and a count of the rows that are made.
import type { Plugin } from '../../packages/webcrawl/index.js';
import web from './endless-web-plugin.js';

/** Rows that this thread has made for links. Only the main thread makes any. */
export const made = { rows: 0 };

const counter: Plugin = {
  name: 'row-counter',
  scoring: {
    initial(value) {
      made.rows += 1;
      return value;
    },
  },
};

export default [web, counter];
