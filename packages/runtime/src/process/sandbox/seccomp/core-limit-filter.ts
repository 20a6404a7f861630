import { answer, answers, assemble, load, unless, when } from './bpf.ts';
import type { Architecture } from './syscalls.ts';

/** `RLIMIT_CORE`. */
const coreLimit = 4;

const numbers: Readonly<Record<Architecture, { setrlimit: number; prlimit64: number }>> = {
  x64: { setrlimit: 160, prlimit64: 302 },
  arm64: { setrlimit: 164, prlimit64: 261 },
};

/**
 * A seccomp filter under which nothing changes its limit for core dumps: with a soft limit of 0, which every process may
 * set, a crash would start the host's handler. To set one succeeds and has no effect, because programs that hold secrets
 * set 0 and end when they may not. For a process that has a filter already, which keeps calls of other machines away.
 */
export function coreLimitFilter(architecture: Architecture): Uint8Array {
  const { setrlimit, prlimit64 } = numbers[architecture];
  const allow = answer(answers.allow);
  const pretend = answer(answers.error(0));
  return assemble([
    ...load('number'),
    ...when('equals', setrlimit, [...load({ argument: 0 }), ...when('equals', coreLimit, pretend), ...allow]),
    ...when('equals', prlimit64, [
      ...load({ argument: 1 }),
      ...unless('equals', coreLimit, allow),
      // Without new limits it only asks.
      ...load({ argument: 2 }),
      ...unless('equals', 0, pretend),
      ...load({ argument: 2, half: 'upper' }),
      ...unless('equals', 0, pretend),
    ]),
    ...allow,
  ]);
}
