import { type ToolChecker, toolChecker } from '@ambit/runtime';
import { type Machine, probeMachine } from '../setup/machine.ts';

/** Checks tools in this machine's sandbox, which is tested when the first WASM skill is checked. */
export function openToolChecker(): ToolChecker {
  let machine: Promise<Machine> | undefined;
  const checker = toolChecker(async () => {
    machine ??= probeMachine();
    return (await machine).wasm;
  });
  return {
    check: checker.check,
    async close() {
      await checker.close();
      await (await machine)?.process.close?.();
    },
  };
}
