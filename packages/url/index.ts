export { parseUrl } from './parse-url.js';
export { tryDecode } from './try-decode.js';
export { tryParseUrl } from './try-parse-url.js';
export { isPlainUrl } from './plain-url.js';
export { LinkResolver, resolveLink, withEncodedQuery, type EncodeQuery } from './resolve-link.js';
export { badPortOf } from './bad-port.js';
export { hostIfAny, hostOf, originOf } from './host.js';
export { isSameOrigin } from './same-origin.js';
export { domainOf, ownDomainOf, publicSuffixOf } from './domain.js';
export { groupOf } from './group.js';
export { readableUrl } from './readable-url.js';
export {
  keyOfParameter,
  parameterKeysOf,
  parametersOf,
  type GivenParameter,
  type Parameter,
} from './url-parameters.js';
export { looksLikeId } from './looks-like-id.js';
