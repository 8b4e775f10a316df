const CONTROLS = /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]/g;

/** Removes control characters other than white space, because some of them control a terminal. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}
