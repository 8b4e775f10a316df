/** Returns the message of a thrown value of any kind. It never throws itself. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return typeof thrown;
  }
}
