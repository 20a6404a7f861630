// A clock that is wrong by SHIFTED_CLOCK_MS milliseconds, for a process and its threads.
import { env } from 'node:process';

const { now } = Date;
const shiftMs = Number(env.SHIFTED_CLOCK_MS);

globalThis.Date = class extends Date {
  constructor(...given) {
    if (given.length === 0) super(now() + shiftMs);
    else super(...given);
  }

  static now() {
    return now() + shiftMs;
  }
};
