import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { opicScoring } from '../../packages/plugins/index.js';

const { scoring } = opicScoring({ linkInternal: 0.5, linkExternal: 2 });

describe('opicScoring', () => {
  it('gives a seed its score as cash, and a found page nothing', () => {
    expect(scoring.injected({ score: 3, cash: 0 }, 'http://a.com/')).toEqual({ score: 3, cash: 3 });
    expect(scoring.initial({ score: 9, cash: 9 }, 'http://a.com/')).toEqual({ score: 0, cash: 0 });
  });

  it('distributes equal parts, times a factor for links within a host and between hosts', () => {
    const targets = ['http://a.com/x', 'https://a.com:8443/', 'http://www.a.com/', 'http://b.com/'];
    expect(scoring.distribute([0, 0, 0, 0], 'http://a.com/', targets, 4)).toEqual([0.5, 0.5, 2, 2]);
  });

  it('adds to the result of filters before it', () => {
    expect(scoring.distribute([1, 2], 'http://a.com/', ['http://a.com/x', 'http://b.com/'], 2)).toEqual([1.5, 4]);
    expect(scoring.distribute([], 'http://a.com/', [], 2)).toEqual([]);
  });

  it('adds the scores of links to score and cash', () => {
    expect(scoring.update({ score: 1, cash: 0.5 }, [2, 1], 'http://a.com/')).toEqual({ score: 4, cash: 3.5 });
    expect(scoring.update({ score: 1, cash: 0.5 }, [], 'http://a.com/')).toEqual({ score: 1, cash: 0.5 });
  });

  it('passes on the whole share if both factors are 1', () => {
    const even = opicScoring({ linkInternal: 1, linkExternal: 1 }).scoring;
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.array(fc.webUrl(), { minLength: 1 }),
        (share, targets) => {
          const parts = even.distribute(
            targets.map(() => 0),
            'http://a.com/',
            targets,
            share,
          );
          expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(share, 6);
        },
      ),
      { seed: 7 },
    );
  });
});
