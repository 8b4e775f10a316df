/**
 * What the command needs before it runs a verb: names, limits, errors, and functions on text. Of the whole library only the modules of these
 * are loaded for it, so each of them is in one that imports little.
 */
export { LAST_MOMENT, STATUSES, makeBatchId, parseShard, shardText } from '../../webtable/index.js';
export { CrawlError, ERROR_CODES, safeText } from '../errors/index.js';
export {
  CHUNK_WORDS,
  COMPUTED_FIELD_NAMES,
  GRAPH_FORMATS,
  PAGE_FORMATS,
  csvRecord,
  looksLikeFormula,
} from '../export/index.js';
export { LEVELS } from '../graph/index.js';
export { DUMP_FIELDS, FURTHER_FIELDS, MAX_SORTED } from '../jobs/index.js';
export { PROTOCOL_CODES } from '../plugin-api/index.js';
export { ROUND_STEPS } from '../rounds/index.js';
export { describeRule, describeRuleInFull } from '../rules/index.js';
export { MAX_HITS } from '../search/index.js';
export { DEFAULT_PORT } from '../serve/index.js';
export { tryParseUrl } from '../url/index.js';
export { VERSION, figures, setV8Flags } from '../util/index.js';

/** Where the table is when nothing else is said. */
export const DEFAULT_TABLE = 'level:./webcrawl-data';
