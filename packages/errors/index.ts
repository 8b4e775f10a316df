export { CrawlError } from './crawl-error.js';
export { ERROR_CODES, type ErrorCode } from './codes.js';
export { messageOf } from './message-of.js';
export { safeText } from './safe-text.js';
export { optionalPackage } from './optional-package.js';
export { tooFewFiles } from './too-few-files.js';
