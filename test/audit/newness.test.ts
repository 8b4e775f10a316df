import { expect, test } from 'vitest';
import { createRowTable } from '../../packages/audit/collect/row-table.js';
import { newnessOf } from '../../packages/audit/newness.js';
import { RULES } from '../../packages/audit/rules/index.js';

test('a group is new if all of its members but one have changed, and not if only the members that are kept have', () => {
  const rows = createRowTable();
  const members = [1000, 3000, 3000].map((changedAt, i) => {
    const row = rows.add({ verdict: 'ok', http: 200, flags: 0, share: 0, changedAt, askedAt: 0 });
    return { row, url: `https://site.example/${i}`, impact: 1 };
  });
  const rule = RULES.find(({ id }) => id === 'title-duplicate')!;
  const isNew = (kept: typeof members, total = kept.length): string | undefined =>
    newnessOf(rule, { message: '' }, { key: 'k', total, impact: 0, members: kept, distinct: 2 }, 2000, rows);
  expect(isNew(members)).toBe('target');
  expect(isNew([members[0]!, ...members])).toBeUndefined();
  expect(isNew(members.slice(1), 3)).toBe('target');
  expect(isNew(members.slice(1), 4)).toBeUndefined();
});
