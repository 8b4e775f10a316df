export { parseUrl } from './parse-url.js';
export { tryParseUrl } from './try-parse-url.js';
export { isPlainUrl } from './plain-url.js';
export { linkResolver, resolveLink, type EncodeQuery } from './resolve-link.js';
export { badPortOf } from './bad-port.js';
export { hostOf } from './host.js';
export { domainOf, publicSuffixOf } from './domain.js';
export { groupOf, type GroupMode } from './group.js';
export { readableUrl } from './readable-url.js';
