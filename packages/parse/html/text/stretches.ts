/** Parts of the text of a page, as positions in bytes. They are in order and do not overlap. */
export interface Stretches {
  readonly starts: number[];
  readonly ends: number[];
}

/** Of one kind. More are merged with the last one. */
export const MAX_STRETCHES = 64;

export function noStretches(): Stretches {
  return { starts: [], ends: [] };
}

/** Adds a part after all others. If it touches the last part, they become one. */
export function addStretch({ starts, ends }: Stretches, start: number, end: number): void {
  if (end <= start) return;
  const { length } = starts;
  if (length > 0 && (ends[length - 1]! >= start || length >= MAX_STRETCHES)) {
    ends[length - 1] = Math.max(end, ends[length - 1]!);
    return;
  }
  starts.push(start);
  ends.push(end);
}

export function withoutStretches(some: Stretches, others: Stretches): Stretches {
  const rest: Stretches = { starts: [], ends: [] };
  let next = 0;
  for (const [i, end] of some.ends.entries()) {
    let from = some.starts[i]!;
    while (next < others.ends.length && others.ends[next]! <= from) next++;
    for (let other = next; other < others.starts.length && others.starts[other]! < end; other++) {
      if (others.starts[other]! > from) {
        rest.starts.push(from);
        rest.ends.push(others.starts[other]!);
      }
      from = others.ends[other]!;
    }
    if (from >= end) continue;
    rest.starts.push(from);
    rest.ends.push(end);
  }
  return rest;
}
