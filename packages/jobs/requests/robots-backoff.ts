import { robotsHealth, type HostHealth } from '../../fetch/index.js';
import type { FetchOutcome, Protocol } from '../../plugin-api/index.js';
import { hostIfAny } from '../../url/index.js';
import { isGivenUp } from './grace-period.js';
import type { HostBackoff } from '../hosts/host-backoff.js';

/**
 * Makes requests for robots.txt end when a signal aborts, and obey the back-off of their host. During a back-off the host gets no request, and
 * its robots.txt counts as unavailable. An aborted request does not change the back-off.
 */
export function withBackoff(protocol: Protocol, backoff: HostBackoff, giveUp: AbortSignal): Protocol {
  const healthOf = (outcome: FetchOutcome): HostHealth =>
    isGivenUp(outcome, giveUp) ? 'unknown' : robotsHealth(outcome);
  return {
    ...protocol,
    async fetch(request) {
      const host = hostIfAny(request.url);
      if (host === undefined) return protocol.fetch({ ...request, signal: giveUp });
      const pause = await backoff.pauseOf(request.url);
      if (pause?.kind === 'failed') {
        const { code, message = `${host} cannot be reached` } = pause.failure;
        return { kind: 'retry', code, message };
      }
      if (pause) {
        const retryAfter = Math.ceil(pause.seconds);
        return { kind: 'retry', code: 'host_backoff', message: `${host} is in back-off`, retryAfter };
      }
      return backoff.ask(request.url, () => protocol.fetch({ ...request, signal: giveUp }), healthOf);
    },
  };
}
