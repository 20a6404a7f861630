import type { SkillDetail, SkillSummary } from '@ambit/api';
import type { Skill } from '@ambit/core';
import { defined } from '@ambit/core/json';
import { everyRun, isPython, runnablePackages } from '@ambit/core/skill';
import { pythonPackage } from '@ambit/runtime';
import { inspectFolder } from '../../../installs/inspect-folder.ts';
import { programText, wasmPython } from '../../../wire/program-text.ts';

type WasmNeeds = NonNullable<SkillDetail['wasm']>;

/** The place of a skill, which only operators see. */
export function folderOf({ root, isInstalled }: Skill): Pick<SkillSummary, 'root' | 'installed'> {
  return defined({ root, installed: isInstalled });
}

/** Adds the folder of a skill and what this machine lacks for it. Rejects like `inspectFolder`. */
export function operatorView(): (skill: Skill, detail: SkillDetail) => Promise<SkillDetail> {
  /** By skill, which is another object after a change of its files. */
  const inspected = new WeakMap<Skill, WasmNeeds>();
  /** Calls use the same one until the daemon ends. */
  let python: string | undefined;

  return async (skill, detail) => {
    const wasm = inspected.get(skill) ?? (await wasmNeeds(skill));
    inspected.set(skill, wasm);
    const programs = Object.fromEntries(programsOf(detail).map((name) => [name, programText(name)]));
    if (Object.keys(wasm).length > 0) programs['@ambit/python'] = python ??= wasmPython(pythonPackage()).text;
    return { ...detail, ...folderOf(skill), wasm, programs };
  };
}

/** The needs of Python scripts that WebAssembly does not meet, by path. Empty for a skill without such scripts. */
async function wasmNeeds(skill: Skill): Promise<WasmNeeds> {
  if (!everyRun(skill).some(isPython) && runnablePackages(skill).length === 0) return {};
  const { scripts } = await inspectFolder(skill, []);
  return Object.fromEntries(scripts.flatMap(({ path, wasm }) => (wasm === null ? [] : [[path, wasm]])));
}

/** The interpreters of its scripts and the programs that it requests, without sets. */
function programsOf({ run, entries, scripts }: SkillDetail): string[] {
  const names = [
    ...scripts.flatMap(({ interpreter, runtime }) => (runtime === 'wasm' ? [] : [interpreter])),
    ...[run, ...entries.map((entry) => entry.run)].flatMap((each) => each?.capabilities.exec ?? []),
  ];
  return [...new Set(names)].flatMap((name) => (name === null || name.startsWith('@') ? [] : [name])).sort();
}
