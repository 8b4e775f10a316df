import { isDeepStrictEqual } from 'node:util';
import { chai } from 'vitest';

const IS_FAST = Symbol.for('webcrawl: toEqual is fast');

/**
 * For every test: `toEqual` first compares as Node does, which takes a tenth of the time for large values. What Node finds equal, `toEqual`
 * finds equal too; for anything else `toEqual` itself decides, and makes the message.
 */
chai.use(({ Assertion }, { flag, overwriteMethod }) => {
  // Test files share a process, and each of them loads this file.
  if (IS_FAST in Assertion.prototype) return;
  Object.defineProperty(Assertion.prototype, IS_FAST, { value: true });
  overwriteMethod(
    Assertion.prototype,
    'toEqual',
    (toEqual: (...args: unknown[]) => unknown) =>
      function (this: Chai.AssertionStatic, ...args: unknown[]) {
        const isNegated = flag(this, 'negate') === true;
        if (!isNegated && isDeepStrictEqual(flag(this, 'object'), args[0])) return;
        toEqual.apply(this, args);
      },
  );
});
