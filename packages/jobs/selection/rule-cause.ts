const CAUSE = /^rule-(\w+)-/;

/** Returns the cause under which generate files a row that a rule of the table rejects. Each version of a rule has its own cause. */
export function causeOfRule(id: string, version: string): string {
  return `rule-${id}-${version}`;
}

/**
 * Returns the id of the rule that rejects a row. Returns undefined if the cause is not a rule.
 * @param cause the value of the row's field `refusedBy`
 */
export function ruleOfCause(cause: string): string | undefined {
  return CAUSE.exec(cause)?.[1];
}
