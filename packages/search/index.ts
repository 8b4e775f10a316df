export * from './public.js';
export { createReadBudget, rowShare, type ReadBounds, type ReadBudget } from './read-budget.js';
export { askIndex, type Answer, type AskOptions } from './ask-index.js';
export { HITS_PER_PAGE, createSearcher, weightsOf } from './searcher.js';
export { parseQuery } from './query/parse-query.js';
export { queryText } from './query/query-text.js';
export { COPY_FIELDS, SHOWN_FIELDS, hasCopy, shownText } from './results/shown-text.js';
export { withoutHidden } from './results/shown-parts.js';
