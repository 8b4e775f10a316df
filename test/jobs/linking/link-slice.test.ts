import { expect, it } from 'vitest';
import { createLinkSlice, type LinkEvent } from '../../../packages/jobs/linking/link-slice.js';
import { randomNumbers } from '../../support/web/fake-web.js';

it('returns the links to each target in the order in which they were added', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomNumbers(seed);
    const pick = (n: number): number => Math.floor(random() * n);
    const slice = createLinkSlice();
    const plain = new Map<string, LinkEvent[]>();
    for (let page = 0; page < pick(20); page++) {
      const source = `com.a:http/${page}`;
      const from = {
        source,
        chunk: { name: '1-1/00', number: page },
        distance: pick(3),
        redirectDepth: pick(2),
      };
      for (let i = pick(10); i > 0; i--) {
        const target = `com.b:http/${pick(8)}`;
        const link = {
          anchor: `a${pick(5)}`,
          score: random(),
          ...(pick(4) === 0 && { hints: { priority: random() } }),
          ...(pick(4) === 0 && { sitemap: true as const }),
        };
        slice.add(target, from, link);
        plain.set(target, [...(plain.get(target) ?? []), { from, hints: undefined, sitemap: undefined, ...link }]);
      }
    }
    expect(new Set(slice.targets()), `seed ${seed}`).toEqual(new Set(plain.keys()));
    for (const [target, links] of plain) expect(slice.linksOf(target), `seed ${seed}`).toStrictEqual(links);
    expect(slice.linksOf('com.b:http/9')).toEqual([]);
    expect(slice.links).toBe([...plain.values()].flat().length);
  }
});
