/** The last time that a JavaScript date can express, in ms since the epoch. */
export const LAST_MOMENT = 8.64e15;

/** Whether a value is a time that a date can express. */
export const isTime = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= LAST_MOMENT;
