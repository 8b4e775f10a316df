export { httpProtocol, type HttpExtras, type HttpProtocol } from './http/http-protocol.js';
export type { ConnectOptions } from './address/guarded-connector.js';
export { cachedLookup, systemLookup, type Lookup } from './address/dns-cache.js';
export { literalOnlyRange, specialRange } from './address/address-ranges.js';
export { lookupWithin } from './address/lookup-within.js';
export { statusVerdict } from './http/http-status.js';
export { PrivateAddressError } from './address/address-guard.js';
export { createPoster, type Poster, type PostedAnswer } from './http/poster.js';
export { isChallenge } from './http/http-headers.js';
export { userAgent } from './http/user-agent.js';
export { isProxyFailure } from './http/proxy-error.js';
export { hostHealth, robotsHealth, type HostHealth } from './http/host-health.js';
export { parseRobots, ROBOTS_LIMIT, type RobotsLine } from './robots/robots.js';
export {
  ROBOTS_OF_OTHER_SHARD,
  createRobots,
  isFreshRobots,
  robotsRules,
  type Robots,
  type RobotsStore,
} from './robots/robots-cache.js';
export type { InHostQueue, RobotsHop, StoredRobots } from './robots/robots-cache.js';
export { createFetchQueues, type FetchQueues } from './queues/fetch-queues.js';
