import { expect, it } from 'vitest';
import { MAX_HEADING_LENGTH, MAX_HEADINGS } from '../../../packages/parse/shared/limits.js';
import { parsePage } from '../../support/parsing/parse-page.js';

it.each([
  ['<h1>One</h1>a<h2> two\n<b>2</b> </h2>', ['One', 'two 2']],
  ['<h1><a href=x>link</a><br>text<img alt=i></h1>', ['link text']],
  ['<h1>a<h2>b</h1>c', ['a', 'b']],
  ['<h1>a<div>b<h3>c</h3></div>d</h1>', ['a b c d']],
  ['<h1> </h1><h2></h2>', undefined],
  ['<h1>never closed', ['never closed']],
  ['<h1>a<script>x</script><style>x</style></h1>', ['a']],
  ['<svg><h1>a</h1></svg>', ['a']],
  ['<p>none', undefined],
])('the headings of %s', (html, headings) => {
  expect(parsePage(html).headings).toEqual(headings);
});

it('have a maximum number and length', () => {
  const many = parsePage('<h2>a</h2>'.repeat(MAX_HEADINGS + 5)).headings!;
  expect(many).toHaveLength(MAX_HEADINGS);
  expect(parsePage(`<h2>${'ab '.repeat(5000)}</h2>`).headings![0]!.length).toBeLessThanOrEqual(MAX_HEADING_LENGTH);
});
