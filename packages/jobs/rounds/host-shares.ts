import type { Fetcher } from '../fetching/fetcher.js';
import { domainOf } from '../../url/index.js';

/** Maximum number of hosts that a round skips because of the limits of their domains. After this number, no further row is selected. */
const MAX_SKIPPED = 10_000;

/** Tells on which hosts the fetcher works now. */
export type HostsInWork = Pick<Fetcher, 'hasPages' | 'hostsOf'>;

/** The limits on the number of hosts in a round. */
export interface HostBounds {
  /** Whether to skip queues that have waiting or running pages in the fetcher. */
  readonly passesOverBusy: boolean;
  /** Maximum number of hosts of one domain that are fetched at the same time. */
  readonly perDomain: number;
  /** Maximum number of hosts of one domain in a round. Hosts of this domain on which the fetcher already works are included. */
  readonly share: number;
}

/**
 * Decides for each queue whether a round skips it. Therefore a domain with an endless number of host names gets only a share of the
 * requests. A domain gets new hosts only if the fetcher works on at most half of the hosts that the domain may have. Otherwise rounds would
 * become small.
 */
export function createHostShares({ hasPages, hostsOf }: HostsInWork, bounds: HostBounds) {
  const { passesOverBusy, perDomain, share } = bounds;
  const taken = new Map<string, number>();
  let passed = 0;
  let isUsedUp = false;
  return {
    /** Whether the round skips a queue. `end`: the round skips this queue and all further queues. */
    isBusy(queue: string): boolean | 'end' {
      if (hasPages(queue)) return passesOverBusy;
      const domain = domainOf(queue);
      const fetched = hostsOf(domain);
      const here = taken.get(domain) ?? 0;
      const mayHaveMore = fetched <= perDomain / 2;
      if (mayHaveMore && fetched + here < share) {
        taken.set(domain, here + 1);
        return false;
      }
      isUsedUp ||= mayHaveMore;
      passed += 1;
      return passed > MAX_SKIPPED ? 'end' : true;
    },
    /** Whether the round skipped a host because the domain of the host has used up its share. */
    isShareUsedUp: (): boolean => isUsedUp,
  };
}
