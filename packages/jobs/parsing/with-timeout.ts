/**
 * Ends the wait for what answers later; code that never yields cannot be ended from its own thread.
 * @param seconds of the wait
 * @param late what is answered instead
 */
export async function withTimeout<T>(answer: Promise<T>, seconds: number, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000);
  }).then(late);
  try {
    return await Promise.race([answer, waited]);
  } finally {
    clearTimeout(timer);
  }
}
