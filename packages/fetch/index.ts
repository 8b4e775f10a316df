export { httpProtocol, type HttpExtras, type HttpProtocol } from './http/http-protocol.js';
export type { ConnectOptions } from './address/address-guard.js';
export { cachedLookup, systemLookup, type Lookup, type LookupCacheOptions } from './address/dns-cache.js';
export { literalOnlyRange, specialRange } from './address/address-ranges.js';
export { lookupWithin } from './address/lookup-within.js';
export { statusVerdict, type StatusVerdict } from './http/http-status.js';
export type { NetworkCode } from './http/network-error.js';
export { isProxyFailure } from './http/proxy-error.js';
export { hostHealth, robotsHealth, type HostHealth } from './http/host-health.js';
export { userAgent } from './http/user-agent.js';
export { parseRobots, ROBOTS_LIMIT, type RobotsLine, type RobotsRules, type RobotsTxt } from './robots/robots.js';
export {
  createRobots,
  isFreshRobots,
  robotsRules,
  type Robots,
  type RobotsOptions,
  type RobotsStore,
} from './robots/robots-cache.js';
export type { HostTurn, RobotsHooks, RobotsVerdict, StoredRobots } from './robots/robots-cache.js';
export { createFetchQueues, type FetchQueues, type FetchQueuesOptions } from './queues/fetch-queues.js';
export type { FetchWorker } from './queues/fetch-queues.js';
export type { Timers } from './queues/wake-timer.js';
