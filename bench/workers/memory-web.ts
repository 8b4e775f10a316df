// The web of the benchmark `memory`, as a list of plugins: the endless web, and a count of the rows and links that are made.
import type { Plugin } from '../../packages/webcrawl/index.js';
import web from './endless-web-plugin.js';

/** Rows that this thread has made for links, and links that it has handed on to the rows they lead to. Only the main thread makes any. */
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

export default [web, counter];
