import { answer, answers, assemble, errors, load, mask, unless, when } from './bpf.ts';
import {
  allowedPersonalities,
  allowedSockets,
  conditionalCalls,
  creatingFlags,
  modeCalls,
  pair,
  refusedArguments,
  setIdBits,
  socketTypeBits,
  unixSocket,
} from './call-arguments.ts';
import { type Architecture, absentCalls, highestKnown, refusedCalls, type SystemCall } from './syscalls.ts';

/** `AUDIT_ARCH_X86_64` and `AUDIT_ARCH_AARCH64` (`linux/audit.h`). */
const auditArchitectures: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

const failWith = (error: keyof typeof errors) => answer(answers.error(errors[error]));
const refuse = failWith('notPermitted');
const unknown = failWith('noSuchCall');
const allow = answer(answers.allow);

/**
 * The seccomp filter for one architecture, in the format of bubblewrap's `--seccomp`.
 *
 * A call of a foreign ABI (32-bit on a 64-bit kernel) kills the process: its numbers mean other
 * calls. Unknown numbers, including all of x32, return `ENOSYS`. Refused calls return `EPERM`, so
 * that programs can continue without them. `unixSockets` also allows Unix sockets that are not
 * pairs.
 */
export function seccompFilter(
  architecture: Architecture,
  { unixSockets = false }: { unixSockets?: boolean } = {},
): Uint8Array {
  const sockets = unixSockets ? [...allowedSockets, unixSocket] : allowedSockets;
  const number = (call: keyof typeof conditionalCalls): number => conditionalCalls[call][architecture];
  const column = architecture === 'x64' ? 1 : 2;
  const numbersOf = (groups: readonly { calls: readonly SystemCall[] }[]): number[] =>
    groups.flatMap(({ calls }) => calls.map((call) => call[column])).filter((each) => each !== null);
  return assemble([
    ...load('architecture'),
    ...unless('equals', auditArchitectures[architecture], answer(answers.killProcess)),
    ...load('number'),
    ...when('above', highestKnown, unknown),
    ...numbersOf(absentCalls).flatMap((call) => when('equals', call, unknown)),
    ...numbersOf(refusedCalls).flatMap((call) => when('equals', call, refuse)),
    ...refusedArguments.flatMap(({ call, argument, refused, error }) => {
      const at = call[column];
      const tests =
        'values' in refused
          ? Object.values(refused.values).flatMap((value) => when('equals', value, failWith(error)))
          : when('hasAnyBitOf', refused.anyBitOf, failWith(error));
      return at === null ? [] : when('equals', at, [...load({ argument }), ...tests, ...allow]);
    }),
    ...modeCalls.flatMap(({ call, mode, flags }) => {
      const refuseSetId = [...load({ argument: mode }), ...when('hasAnyBitOf', setIdBits, refuse), ...allow];
      const creating =
        flags === undefined
          ? refuseSetId
          : [...load({ argument: flags }), ...when('hasAnyBitOf', creatingFlags, refuseSetId), ...allow];
      const at = call[column];
      return at === null ? [] : when('equals', at, creating);
    }),
    ...when('equals', number('personality'), [
      ...load({ argument: 0 }),
      ...allowedPersonalities.flatMap((persona) => when('equals', persona, allow)),
      ...refuse,
    ]),
    ...when('equals', number('socketpair'), [
      ...load({ argument: 0 }),
      ...unless('equals', pair.family, failWith('noSuchFamily')),
      ...load({ argument: 1 }),
      ...mask(socketTypeBits),
      ...unless('equals', pair.type, failWith('noSuchType')),
      ...allow,
    ]),
    ...when('equals', number('socket'), [
      ...load({ argument: 0 }),
      ...sockets.flatMap(({ family, ...kinds }) => when('equals', family, socketOf(kinds))),
      ...failWith('noSuchFamily'),
    ]),
    ...allow,
  ]);
}

/** Checks type and protocol of an allowed family. */
function socketOf({ types, protocols }: Pick<(typeof allowedSockets)[number], 'types' | 'protocols'>) {
  const byProtocol = [
    ...load({ argument: 2 }),
    ...protocols.flatMap((protocol) => when('equals', protocol, allow)),
    ...failWith('noSuchProtocol'),
  ];
  return [
    ...load({ argument: 1 }),
    ...mask(socketTypeBits),
    ...types.flatMap((type) => when('equals', type, byProtocol)),
    ...failWith('noSuchType'),
  ];
}

/** Whether a filter exists for this architecture. */
export function isFilterable(architecture: string): architecture is Architecture {
  return architecture === 'x64' || architecture === 'arm64';
}
