/**
 * Limits how long work without waits may block the event loop, so that timers, signals and sockets are served in between: `while
 * (timeSlice.isOver) await timeSlice.next()`. A loop is needed because many tasks wait for one pause, and the first task may use up the
 * next slice.
 */
export interface TimeSlice {
  /** Whether the time since the last pause is used up. */
  readonly isOver: boolean;
  /** Lets the event loop run once; then the next slice begins. */
  next(): Promise<void>;
}

/** For other tasks this is a short wait, but it is many times the cost of a pause. */
const SLICE_MS = 10;

/** @param clock a monotonic clock, in milliseconds */
export function createTimeSlice(clock: () => number = () => performance.now()): TimeSlice {
  let last = clock();
  let pause: Promise<void> | undefined;
  return {
    get isOver() {
      return clock() - last >= SLICE_MS;
    },
    next: () =>
      (pause ??= new Promise((resolve) =>
        setImmediate(() => {
          pause = undefined;
          last = clock();
          resolve();
        }),
      )),
  };
}

/** Work in steps of at most a few milliseconds, separated by `yield`. */
export type Steps<T> = Generator<void, T, void>;

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs all steps, and pauses whenever a time slice is over. */
export async function inTimeSlices<T>(steps: Steps<T>, timeSlice = createTimeSlice()): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    while (timeSlice.isOver) await timeSlice.next();
  }
}

const ITEMS_PER_STEP = 4096;

/** Makes a sorted copy in steps. Equal items keep their order. */
export function* sortSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let from: T[] = [];
  for (let at = 0; at < items.length; at += ITEMS_PER_STEP) {
    for (const item of items.slice(at, at + ITEMS_PER_STEP).sort(compare)) from.push(item);
    yield;
  }
  let to = new Array<T>(from.length);
  for (let width = ITEMS_PER_STEP; width < from.length; width *= 2) {
    for (let begin = 0; begin < from.length; begin += 2 * width) {
      const middle = Math.min(begin + width, from.length);
      const end = Math.min(begin + 2 * width, from.length);
      let [left, right] = [begin, middle];
      for (let at = begin; at < end; at++) {
        const isLeft = left < middle && (right === end || compare(from[left]!, from[right]!) <= 0);
        to[at] = isLeft ? from[left++]! : from[right++]!;
        if (at % ITEMS_PER_STEP === 0) yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}
