import { answer, answers, assemble, load, unless, when } from './bpf.ts';
import type { Architecture } from './syscalls.ts';

/** `RLIMIT_CORE`. */
const coreLimit = 4;

const numbers: Readonly<Record<Architecture, { setrlimit: number; prlimit64: number }>> = {
  x64: { setrlimit: 160, prlimit64: 302 },
  arm64: { setrlimit: 164, prlimit64: 261 },
};

/**
 * A seccomp filter that freezes the core limit. Any process may lower its soft limit to 0, and a
 * crash would then start the host's core handler. Setting the limit succeeds without effect,
 * because programs that hold secrets set it to 0 and exit if they cannot. Use it with the main
 * filter, which kills calls of other ABIs.
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
      // A null pointer only reads the limit.
      ...load({ argument: 2 }),
      ...unless('equals', 0, pretend),
      ...load({ argument: 2, half: 'upper' }),
      ...unless('equals', 0, pretend),
    ]),
    ...allow,
  ]);
}
