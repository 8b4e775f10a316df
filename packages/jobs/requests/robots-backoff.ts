import { robotsHealth, type HostHealth } from '../../fetch/index.js';
import type { FetchOutcome, Protocol } from '../../plugin-api/index.js';
import { hostOf } from '../../url/index.js';
import { isGivenUp } from './grace-period.js';
import type { HostBackoff } from '../hosts/host-backoff.js';

/**
 * Ends requests for robots.txt by a signal, and has them go by the back-off of the host that they lead to: one that is
 * left alone is not asked, and counts as unavailable for as long. One that was ended says nothing about its host.
 */
export function withBackoff(protocol: Protocol, backoff: HostBackoff, giveUp: AbortSignal): Protocol {
  const healthOf = (outcome: FetchOutcome): HostHealth =>
    isGivenUp(outcome, giveUp) ? 'unknown' : robotsHealth(outcome);
  return {
    ...protocol,
    async fetch(request) {
      const host = hostIfAny(request.url);
      if (host === undefined) return protocol.fetch({ ...request, signal: giveUp });
      const pause = await backoff.pauseOf(host);
      if (pause) {
        const retryAfter = Math.ceil(pause.seconds);
        return { kind: 'retry', code: 'host_backoff', message: `${host} is to be left alone`, retryAfter };
      }
      return backoff.ask(request.url, () => protocol.fetch({ ...request, signal: giveUp }), healthOf);
    },
  };
}

/** The host of a URL; undefined where it has none that we fetch from, as a redirect of a plugin may. */
export function hostIfAny(url: string): string | undefined {
  try {
    return hostOf(url);
  } catch {
    return undefined;
  }
}
