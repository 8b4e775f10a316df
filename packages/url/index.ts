export { parseUrl } from './parse-url.js';
export { isPlainUrl } from './plain-url.js';
export { linkResolver, resolveLink } from './resolve-link.js';
export { hostOf } from './host.js';
export { domainOf, publicSuffixOf } from './domain.js';
export { groupOf, type GroupMode } from './group.js';
export { readableUrl } from './readable-url.js';
