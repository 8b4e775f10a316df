export {
  parseQuery,
  type NoticeCode,
  type ParsedQuery,
  type QueryNotice,
  type QueryPart,
} from './query/parse-query.js';
