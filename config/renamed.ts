/**
 * The present names of renamed settings, by the old name. Before version {@link RENAMED_UNTIL}, an old name still works and causes a
 * notice.
 */
export const RENAMED_SETTINGS: ReadonlyMap<string, string> = new Map([
  ['scoring.fit.score', 'scoring.relevant.score'],
  ['scoring.fit.other', 'scoring.relevant.other'],
  ['propose.minUseful', 'propose.minRelevant'],
]);

/** The present names of renamed kinds of rules, by the old name. `webcrawl rules add` and `test` accept the old names. */
export const RENAMED_RULE_KINDS: ReadonlyMap<string, string> = new Map([['useful', 'relevant']]);

/** From this version on, the old names are errors. */
export const RENAMED_UNTIL = '0.3';

/** Returns the notice for a user who has written an old name. */
export function renamedNotice(what: string, from: string, to: string): string {
  return `${what} ${from} is now ${to}; the old name works until ${RENAMED_UNTIL}`;
}
