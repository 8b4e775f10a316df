/** Returns the counters in a report that a worker wrote with `--json`. Returns undefined if the text is not a report. */
export function countersOf(out: string): Record<string, number> | undefined {
  try {
    const report: unknown = JSON.parse(out);
    const counters =
      report !== null && typeof report === 'object' && 'counters' in report ? report.counters : undefined;
    return counters as Record<string, number> | undefined;
  } catch {
    return undefined;
  }
}
