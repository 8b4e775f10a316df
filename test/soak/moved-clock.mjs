// Loaded before a program: moves its clock by WEBCRAWL_SOAK_CLOCK milliseconds. Timers are not changed.
const moved = Number(process.env.WEBCRAWL_SOAK_CLOCK ?? 0);
const RealDate = Date;

globalThis.Date = class Date extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [RealDate.now() + moved] : args));
  }
  static now() {
    return RealDate.now() + moved;
  }
};
