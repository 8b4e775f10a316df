import type { Settings } from '../../core/index.js';
import { delayInForce, secondsFor, type DelayInForce } from '../delay.js';
import type { PlannedQueue, PlannedRound } from './planned.js';

/** A page that a round selects. Either it is requested, or its outcome is known without a request. */
export interface PlannedPage {
  readonly queue: string;
  /** Milliseconds of the last response of the page; absent if unknown. */
  readonly fetchMs?: number | undefined;
  /** The outcome of the page, if it is not requested. */
  readonly outcome?: string | undefined;
  /** The origin whose robots.txt must be requested first. Absent if it is stored. */
  readonly needsRobots?: string | undefined;
  /** The `Crawl-delay` of the page's host, in seconds. */
  readonly crawlDelay?: number | undefined;
  /** The earliest time of a request to its host, in ms since the epoch. */
  readonly from: number;
}

interface Requests {
  pages: number;
  robots: number;
}

interface Load {
  readonly queue: string;
  readonly rounds: Requests[];
  crawlDelay: number | undefined;
  responses: number;
  responseMs: number;
  /** The earliest time of a request, in ms since the epoch. */
  from: number;
}

type RoundTimes = Pick<PlannedRound, 'queues' | 'requests' | 'seconds' | 'slowest'>;

/** Adds up the requests of rounds by queue. It stores some numbers for each queue, and the name of each origin without a robots.txt. */
export function createQueueLoads() {
  const loads = new Map<string, Load>();
  const robotsAsked = new Set<string>();

  return {
    add(
      round: number,
      { queue, fetchMs, needsRobots, crawlDelay, from }: PlannedPage,
    ): { readonly isRobotsAsked: boolean } {
      let load = loads.get(queue);
      if (!load) {
        load = { queue, rounds: [], crawlDelay: undefined, responses: 0, responseMs: 0, from: Infinity };
        loads.set(queue, load);
      }
      const requests = (load.rounds[round] ??= { pages: 0, robots: 0 });
      requests.pages += 1;
      const isRobotsAsked = needsRobots !== undefined && !robotsAsked.has(needsRobots);
      if (isRobotsAsked) {
        robotsAsked.add(needsRobots);
        requests.robots += 1;
      }
      if (crawlDelay !== undefined) load.crawlDelay = Math.max(crawlDelay, load.crawlDelay ?? 0);
      if (fetchMs !== undefined) {
        load.responses += 1;
        load.responseMs += fetchMs;
      }
      load.from = Math.min(load.from, from);
      return { isRobotsAsked };
    },

    /**
     * Returns how long the rounds take, one after the other. A round ends when its slowest queue is done, and all of its requests are done
     * with `fetcher.threadsFetch` at a time. If the time of a response is unknown, the mean of all responses is used.
     * @param now in ms since the epoch
     */
    times(rounds: readonly number[], now: number, fetcher: Settings['fetcher']) {
      const all = [...loads.values()];
      const responses = all.reduce((sum, load) => sum + load.responses, 0);
      const usualMs = responses > 0 ? all.reduce((sum, load) => sum + load.responseMs, 0) / responses : undefined;
      const known = all.map((load) => {
        const meanMs = load.responses > 0 ? load.responseMs / load.responses : usualMs;
        return { ...load, meanMs, delay: delayInForce(fetcher, load.crawlDelay, meanMs), seconds: 0 };
      });
      let elapsed = 0;
      const roundTimes: RoundTimes[] = [];
      for (const round of rounds) {
        let [queues, total, responding, longest] = [0, 0, 0, 0];
        let slowest: string | undefined;
        for (const load of known) {
          const asked = load.rounds[round];
          if (!asked) continue;
          const requests = asked.pages + asked.robots;
          const wait = Math.max(0, (load.from - now) / 1000 - elapsed);
          const seconds = wait + secondsFor(requests, fetcher, load.delay.seconds, load.meanMs);
          load.seconds += seconds;
          queues += 1;
          total += requests;
          responding += (requests * (load.meanMs ?? 0)) / 1000 / fetcher.threadsFetch;
          if (seconds > longest || slowest === undefined) [longest, slowest] = [Math.max(longest, seconds), load.queue];
        }
        const seconds = Math.max(longest, responding);
        elapsed += seconds;
        const decides = slowest !== undefined && longest >= responding ? { slowest } : {};
        roundTimes.push({ queues, requests: total, seconds, ...decides });
      }
      return { rounds: roundTimes, queues: known.map(timesOf), seconds: elapsed };
    },
  };
}

function timesOf({
  queue,
  rounds,
  delay,
  meanMs,
  seconds,
}: Pick<Load, 'queue' | 'rounds'> & {
  readonly delay: DelayInForce;
  readonly meanMs: number | undefined;
  readonly seconds: number;
}): PlannedQueue {
  let [pages, robots] = [0, 0];
  for (const asked of rounds) {
    pages += asked?.pages ?? 0;
    robots += asked?.robots ?? 0;
  }
  return { queue, pages, robots, delay, ...(meanMs !== undefined && { meanMs }), seconds };
}
