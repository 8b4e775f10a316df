/**
 * Names, limits, errors and text functions that the command and the library need before a verb runs or a function is called. If a name
 * comes from a satellite, only the file with it is loaded then; test/layers.test.ts lists these files.
 */
export {
  CHANGE_KINDS,
  LAST_MOMENT,
  RENAMED_CODES,
  RENAMED_FIELDS,
  RENAMED_KINDS,
  STATUSES,
  parseShard,
  shardText,
} from '../../webtable/index.js';
export { didYouMean } from '../../config/index.js';
export { CrawlError, ERROR_CODES, safeText, tooFewFiles } from '../errors/index.js';
export {
  DUMP_FIELDS,
  ADDITIONAL_FIELDS,
  INTERNAL_FIELDS,
  MAX_SORTED,
  SORT_FIELDS,
  parseOrder,
} from '../answers/pages/dump-terms.js';
export { AUDIT_FORMATS, AUDIT_FORMAT_NAMES, auditFormatOf, type AuditFormat } from '../audit/formats/audit-formats.js';
export { changeDetails, hostText } from '../changes/change-details.js';
export { GRAPH_FORMATS } from '../export/graph/graph-formats.js';
export { csvRecord, looksLikeFormula } from '../export/pages/csv.js';
export { CHUNK_WORDS, COMPUTED_FIELD_NAMES, LINK_LISTS, PAGE_FORMATS } from '../export/pages/page-formats.js';
export { LEVELS } from '../graph/levels.js';
export { HOST_SORTS, MAX_HOSTS } from '../hosts/host-terms.js';
export { INDEX_FILE } from '../index/sqlite/schema.js';
export { areAllRefused } from '../jobs/index.js';
export { PROTOCOL_CODES } from '../plugin-api/index.js';
export { describeRule, describeRuleInFull } from '../rules/describe-rule.js';
export { MAX_HITS } from '../search/max-hits.js';
export { DEFAULT_PORT } from '../serve/default-port.js';
export { tryParseUrl } from '../url/index.js';
export { VERSION, defined, figures, setV8Flags, withoutMentions } from '../util/index.js';

export const DEFAULT_TABLE = 'level:./webcrawl-data';
