import { answer, answers, assemble, errors, load, unless, when } from './bpf.ts';
import {
  type Architecture,
  allowedPersonalities,
  allowedSocketFamilies,
  conditionalCalls,
  creatingFlags,
  highestKnown,
  modeCalls,
  namespaceFlags,
  pairFamily,
  refusedCalls,
  refusedTerminalRequests,
  setIdBits,
} from './syscalls.ts';

/** `AUDIT_ARCH_X86_64` and `AUDIT_ARCH_AARCH64` (`linux/audit.h`). */
const auditArchitectures: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

const refuse = answer(answers.error(errors.notPermitted));
const unknown = answer(answers.error(errors.noSuchCall));
const allow = answer(answers.allow);

/**
 * The seccomp filter for one machine, as bubblewrap's `--seccomp` takes it.
 *
 * A call of a foreign ABI (32-bit on a 64-bit kernel) ends the process: its numbers mean other calls. Numbers above
 * the known ones, among them all of x32, answer `ENOSYS`; refused calls answer `EPERM`, so that programs can go on
 * without. `clone3` answers `ENOSYS`, because its flags lie in memory that no filter can read, and libraries then fall
 * back to `clone`.
 */
export function seccompFilter(architecture: Architecture): Uint8Array {
  const number = (call: keyof typeof conditionalCalls): number => conditionalCalls[call][architecture];
  const column = architecture === 'x64' ? 1 : 2;
  const refused = refusedCalls
    .flatMap(({ calls }) => calls.map((call) => call[column]))
    .filter((each) => each !== null);
  return assemble([
    ...load('architecture'),
    ...unless('equals', auditArchitectures[architecture], answer(answers.killProcess)),
    ...load('number'),
    ...when('above', highestKnown, unknown),
    ...when('equals', number('clone3'), unknown),
    ...when('equals', number('openat2'), unknown),
    ...refused.flatMap((call) => when('equals', call, refuse)),
    ...when('equals', number('clone'), [
      ...load({ argument: 0 }),
      ...when('hasAnyBitOf', namespaceFlags, refuse),
      ...allow,
    ]),
    ...modeCalls.flatMap(({ call, mode, flags }) => {
      const refuseSetId = [...load({ argument: mode }), ...when('hasAnyBitOf', setIdBits, refuse), ...allow];
      const creating =
        flags === undefined
          ? refuseSetId
          : [...load({ argument: flags }), ...when('hasAnyBitOf', creatingFlags, refuseSetId), ...allow];
      const at = call[column];
      return at === null ? [] : when('equals', at, creating);
    }),
    ...when('equals', number('ioctl'), [
      ...load({ argument: 1 }),
      ...Object.values(refusedTerminalRequests).flatMap((request) => when('equals', request, refuse)),
      ...allow,
    ]),
    ...when('equals', number('personality'), [
      ...load({ argument: 0 }),
      ...allowedPersonalities.flatMap((persona) => when('equals', persona, allow)),
      ...refuse,
    ]),
    ...when('equals', number('socketpair'), [
      ...load({ argument: 0 }),
      ...when('equals', pairFamily, allow),
      ...answer(answers.error(errors.noSuchFamily)),
    ]),
    ...when('equals', number('socket'), [
      ...load({ argument: 0 }),
      ...Object.values(allowedSocketFamilies).flatMap((family) => when('equals', family, allow)),
      ...answer(answers.error(errors.noSuchFamily)),
    ]),
    ...allow,
  ]);
}

/** Whether this machine is one that a filter can be built for. */
export function isFilterable(architecture: string): architecture is Architecture {
  return architecture === 'x64' || architecture === 'arm64';
}
