/** The counters of the report that a worker writes with `--json`; undefined where a text is none. */
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
