export interface Cost {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export type Quarter = Omit<Cost, 'pages'>;

export interface Look extends Quarter {
  readonly requests: number;
}

/** A crawl by quarters. No quarters: the system did not tell the CPU time while it ran. */
export interface Quartered {
  readonly pages: number;
  readonly quarters: readonly Quarter[];
}

export const pagesPerSecond = ({ pages, seconds }: Omit<Cost, 'cpuSeconds'>): number => pages / seconds;
export const cpuPerThousand = ({ pages, cpuSeconds }: Omit<Cost, 'seconds'>): number => (1000 * cpuSeconds) / pages;

/** The quarters of the requests of a crawl, in order. @param looks in order, without start and end */
export function quartersOf(looks: readonly Look[], end: Look): Quarter[] {
  const all = [{ seconds: 0, cpuSeconds: 0, requests: 0 }, ...looks, end];
  const bounds = [0, 1, 2, 3].map((quarter) => lookAt(all, (quarter * end.requests) / 4));
  return bounds.map((from, i) => {
    const to = bounds[i + 1] ?? end;
    return { seconds: to.seconds - from.seconds, cpuSeconds: to.cpuSeconds - from.cpuSeconds };
  });
}

/** The moment at which this number of requests was made, interpolated between the looks before and after. */
function lookAt(looks: readonly Look[], requests: number): Look {
  const next = looks.findIndex((look) => look.requests > requests);
  const [from, to] = [looks[next - 1], looks[next]];
  if (!from || !to || requests === 0) return looks[0]!;
  const share = (requests - from.requests) / (to.requests - from.requests);
  const between = (a: number, b: number): number => a + share * (b - a);
  return {
    seconds: between(from.seconds, to.seconds),
    cpuSeconds: between(from.cpuSeconds, to.cpuSeconds),
    requests,
  };
}

export const firstPart = (crawl: Quartered): Cost => sumOf(crawl, 0, 1);

export const steadyPart = (crawl: Quartered): Cost => sumOf(crawl, 1, 4);

/** CPU seconds of the start: what the first quarter took in addition to as many pages of the steady part. NaN without quarters. */
export function startCpuSeconds(crawl: Quartered): number {
  return firstPart(crawl).cpuSeconds - steadyPart(crawl).cpuSeconds / 3;
}

function sumOf({ pages, quarters }: Quartered, from: number, to: number): Cost {
  const some = quarters.slice(from, to);
  if (some.length === 0) return { pages: NaN, seconds: NaN, cpuSeconds: NaN };
  const total = (figure: keyof Quarter): number => some.reduce((sum, quarter) => sum + quarter[figure], 0);
  return { pages: (pages * some.length) / 4, seconds: total('seconds'), cpuSeconds: total('cpuSeconds') };
}
