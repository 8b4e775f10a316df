export { CrawlError } from './crawl-error.js';
export { ERROR_CODES, type ErrorCode } from './codes.js';
export { safeText } from './safe-text.js';
