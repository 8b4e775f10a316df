import { describe, expect, it } from 'vitest';
import { readReference, referenceTitle } from '../support/reference-cases.js';
import { parsePage } from '../support/parsing/parse-page.js';

interface Found {
  readonly text: string;
  readonly title: string;
  readonly outlinks: readonly { readonly url: string; readonly anchor: string }[];
}
interface Input {
  readonly html: string;
  readonly base: string;
  readonly conf: Readonly<Record<string, boolean | string>>;
}
interface Cases {
  readonly fromTest: readonly { readonly input: Input; readonly expected: Found }[];
  readonly executed2x: readonly { readonly input: Input; readonly expected2x: Found }[];
}

/** Deliberate deviations from the reference: the number of the case in its group, our answer, and the reason. */
const DEVIATIONS: readonly ({ group: keyof Cases; at: number; reason: string } & Partial<Found>)[] = [
  {
    group: 'fromTest',
    at: 0,
    outlinks: [{ url: 'http://www.nutch.org/', anchor: 'anchor' }],
    reason: 'an empty path is / in the WHATWG URL Standard',
  },
  {
    group: 'fromTest',
    at: 5,
    outlinks: ['logo.gif', '../index.html', '', '../bot.html', '../docs/index.html'].map(
      unnamed('http://www.nutch.org/maps/'),
    ),
    reason: 'fragments are cut',
  },
  {
    group: 'fromTest',
    at: 6,
    text:
      'my title Whitespace test whitespace test This is a whitespace test. Newlines should appear as space too. ' +
      'Tabs are spaces too. This is a break -> and the line after break. one two three space here space there no space ' +
      'one two two three three four put some text here and there. End this madness ! . . . .',
    reason: 'elements within a line do not break words',
  },
  {
    group: 'fromTest',
    at: 11,
    outlinks: [
      { url: 'http://www.nutch.org/;x', anchor: 'anchor1' },
      { url: 'http://www.nutch.org/g;x', anchor: 'anchor2' },
      { url: 'http://www.nutch.org/g;x?y', anchor: 'anchor3' },
    ],
    reason: 'fragments are cut',
  },
  {
    group: 'fromTest',
    at: 12,
    outlinks: [
      { url: 'http://www.nutch.org/g', anchor: 'anchor1' },
      { url: 'http://www.nutch.org/g?y', anchor: 'anchor2' },
      { url: 'http://www.nutch.org/;something?y=1', anchor: 'anchor3' },
      { url: 'http://www.nutch.org/;something?y=1;somethingelse', anchor: 'anchor5' },
    ],
    reason: 'fragments are cut, and each URL comes once, with its first anchor',
  },
  {
    group: 'executed2x',
    at: 0,
    outlinks: [
      { url: 'http://h.com/d/x', anchor: '' },
      { url: 'http://h.com/d/y', anchor: 'Y' },
    ],
    reason: 'a link without text is a link',
  },
  {
    group: 'executed2x',
    at: 1,
    outlinks: [
      { url: 'http://h.com/d/x', anchor: 'A' },
      { url: 'http://h.com/d/i.png', anchor: 'A' },
    ],
    reason: 'what an image says stands in for the text, as in 1.x',
  },
  { group: 'executed2x', at: 2, outlinks: [], reason: 'rel is a list of tokens, as in 1.x' },
  {
    group: 'executed2x',
    at: 6,
    outlinks: [{ url: 'http://h.com/q/x', anchor: 'x' }],
    reason: 'a base is resolved on the URL of the page, as in the HTML Standard and 1.x',
  },
  {
    group: 'executed2x',
    at: 7,
    outlinks: [{ url: 'http://other.org/q/x', anchor: 'x' }],
    reason: 'the first base counts wherever it stands, as in the HTML Standard',
  },
  {
    group: 'executed2x',
    at: 13,
    title: 'late',
    reason: 'the first title counts wherever it stands, as in the HTML Standard',
  },
  {
    group: 'executed2x',
    at: 14,
    outlinks: [{ url: 'http://h.com/d/p.html', anchor: 'top' }],
    reason: 'fragments are cut, and each URL comes once, with its first anchor',
  },
  {
    group: 'executed2x',
    at: 15,
    outlinks: ['a1', 'f1', 's'].map(unnamed('http://h.com/d/')),
    reason: 'source is a link, as in 1.x; a frame outside of a frameset is none in the HTML Standard',
  },
];

function unnamed(base: string): (reference: string) => { url: string; anchor: string } {
  return (reference) => ({ url: new URL(reference, base).href, anchor: '' });
}

const cases = readReference<Cases>('dom-outlinks.json');

const inputs = cases && {
  fromTest: cases.fromTest.map(({ input, expected }) => ({ input, expected })),
  executed2x: cases.executed2x.map(({ input, expected2x: { text, title, outlinks } }) => ({
    input: { ...input, html: asHtml(input.html) },
    expected: { text, title, outlinks },
  })),
};

/** The executed cases are XHTML, read as XML; this writes empty elements as HTML does. */
function asHtml(xhtml: string): string {
  const isVoid = /^(?:area|base|br|embed|frame|img|link|meta|source)$/;
  return xhtml.replace(/<([a-z]+)([^<>]*)\/>/g, (tag, name: string, rest: string) => {
    return isVoid.test(name) ? tag : `<${name}${rest}></${name}>`;
  });
}

function found({ html, base, conf }: Input): Found {
  const ignored = String(conf['parser.html.outlinks.ignore_tags'] ?? '');
  const { text, title, outlinks } = parsePage(html, {
    url: base,
    parser: {
      htmlFormUseAction: String(conf['parser.html.form.use_action'] ?? 'true') === 'true',
      htmlOutlinksIgnoreTags: ignored === '' ? [] : ignored.split(','),
    },
  });
  return { text, title, outlinks };
}

describe.skipIf(!inputs)(referenceTitle('text and outlink cases'), () => {
  it('has them all', () => {
    expect(inputs?.fromTest).toHaveLength(15);
    expect(inputs?.executed2x).toHaveLength(17);
  });

  it.each(['fromTest', 'executed2x'] as const)('finds what is expected except for the deviations: %s', (group) => {
    for (const [at, { input, expected }] of inputs?.[group].entries() ?? []) {
      if (DEVIATIONS.some((each) => each.group === group && each.at === at)) continue;
      expect(found(input), `case ${at}`).toEqual(expected);
    }
  });

  it.each(DEVIATIONS)('deviates in case $at of $group: $reason', ({ group, at, reason: _, ...ours }) => {
    const one = inputs?.[group][at];
    if (!one) throw new Error('no such case');
    expect(one.expected).not.toMatchObject(ours);
    expect(found(one.input)).toEqual({ ...one.expected, ...ours });
  });
});
