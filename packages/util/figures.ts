/**
 * Writes a number with at most `digits` decimal places: `1,234`, `0.25`. It does not use `Intl`, since loading that takes a third of the
 * time of a help page.
 */
function number(value: number, digits = 2): string {
  const [whole = '', decimals = ''] = value.toFixed(digits).split('.');
  const kept = decimals.replace(/0+$/, '');
  return whole.replaceAll(/\B(?=(\d{3})+$)/g, ',') + (kept === '' ? '' : `.${kept}`);
}

/** `1 page`, `1,234 pages`. */
function quantity(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** `512 bytes`, `12.3 MB`. */
function bytes(value: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1);
  return `${number(value / 1000 ** power, 1)} ${units[power]}`;
}

/** Writes a duration: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `4 d 1 h`. */
function duration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return '?';
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  const hours = Math.round(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export const figures = { number, quantity, bytes, duration } as const;
