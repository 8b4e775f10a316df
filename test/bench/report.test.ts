import { describe, expect, it } from 'vitest';
import { drawChart, type Panel } from '../../bench/lib/chart.js';
import { alternate, spread } from '../../bench/lib/rounds.js';
import { formatTable } from '../../bench/lib/table.js';

describe('spread', () => {
  it.each([
    [[3], { median: 3, min: 3, max: 3 }],
    [[9, 1, 5], { median: 5, min: 1, max: 9 }],
    [[10, 9, 100, 1], { median: 9.5, min: 1, max: 100 }],
  ])('of %j', (values, expected) => {
    expect(spread(values)).toEqual(expected);
  });

  it('of no values is NaN, and its input is unchanged', () => {
    expect(spread([]).median).toBeNaN();
    const values = [2, 1];
    spread(values);
    expect(values).toEqual([2, 1]);
  });
});

describe('alternate', () => {
  it('runs all once in each round, and each round begins with the next one', async () => {
    const order: string[] = [];
    const compared = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    const samples = await alternate(compared, 4, async ({ name }, round) => {
      order.push(name);
      return `${name}${round}`;
    });
    expect(order.join('')).toBe('abcbcacababc');
    expect(samples).toEqual([
      { name: 'a', samples: ['a0', 'a1', 'a2', 'a3'] },
      { name: 'b', samples: ['b0', 'b1', 'b2', 'b3'] },
      { name: 'c', samples: ['c0', 'c1', 'c2', 'c3'] },
    ]);
  });
});

describe('formatTable', () => {
  it('aligns, groups digits, shows ranges, and a dash for absent values', () => {
    const columns = [
      { key: 'name', head: 'crawler' },
      { key: 'rate', head: 'pages/s' },
      { key: 'ratio', head: '×', digits: 2 },
    ];
    const rows = [
      { name: 'a', rate: { median: 1234, min: 999.6, max: 2000 }, ratio: 1 },
      { name: 'bcd', rate: { median: 7, min: 7, max: 7 }, ratio: NaN },
      { name: 'e' },
    ];
    expect(formatTable(columns, rows).split('\n')).toEqual([
      'crawler              pages/s     ×',
      '───────  ───────────────────  ────',
      'a        1,234 [1,000–2,000]  1.00',
      'bcd                        7     –',
      'e                          –     –',
    ]);
  });
});

describe('drawChart', () => {
  const draw = (...panels: Panel[]): string => drawChart({ title: 'A & B', panels }, 'one\ntwo <three>');

  it('escapes text, and names light and dark colours', () => {
    const svg = draw({ title: 'a < b', bars: [{ label: '<x>', value: 1, ours: true }] });
    expect(svg).toContain('A &amp; B');
    expect(svg).toContain('a &lt; b');
    expect(svg).toContain('&lt;x&gt;');
    expect(svg).toContain('two &lt;three&gt;');
    expect(svg).toContain('prefers-color-scheme: dark');
  });

  it('makes the longest bar with its range as wide as the panel', () => {
    const value = { median: 50, min: 25, max: 100 };
    const svg = draw({
      title: 'p',
      bars: [
        { label: 'a', value },
        { label: 'b', value: 75 },
      ],
    });
    expect(svg).toMatch(/class="bar"[^>]* width="150.0"/);
    expect(svg).toMatch(/class="bar"[^>]* width="225.0"/);
    expect(svg).toContain('M75.0 50H300.0');
  });

  it.each([
    ['no bars', { title: 'p', bars: [] }],
    ['a bar of nothing measured', { title: 'p', bars: [{ label: 'a', value: NaN }] }],
    ['bars of nought', { title: 'p', bars: [{ label: 'a', value: 0 }] }],
    ['no points', { title: 'p', lines: { series: [{ label: 'a', points: [] }], xTitle: 'x' } }],
    ['one point', { title: 'p', lines: { series: [{ label: 'a', points: [[1, 0]] as const }], xTitle: 'x' } }],
  ])('draws %s without NaN', (_, panel) => {
    expect(draw(panel)).not.toMatch(/="[^"]*(NaN|Infinity)/);
  });
});
