/** The options of commands that load `@ambit/migrate` when they run, and the types of their flags. */
import { defineOptions, type FlagsOf, type GlobalFlags } from './define-command.ts';

/** The options of `ambit import`. */
export const importOptions = defineOptions({
  namespace: {
    value: 'name',
    text: 'begin their ids with this name (default: the format, or the name of the folder)',
  },
  out: { value: 'dir', text: 'write skill folders to this folder, and install nothing' },
  fragment: {
    value: 'file',
    text: 'write the settings for the configuration to this file instead of printing them',
  },
  dryRun: { text: 'write and install nothing; report what would be written' },
  force: { text: 'replace existing folders and files' },
});
export type ImportFlags = FlagsOf<typeof importOptions> & GlobalFlags;

/** The options of `ambit export`. */
export const exportOptions = defineOptions({
  out: { value: 'dir', text: 'write files to this folder', required: true },
  force: { text: 'replace existing files' },
});
export type ExportFlags = FlagsOf<typeof exportOptions> & GlobalFlags;

/** The options of `ambit skills merge`. */
export const mergeOptions = defineOptions({
  into: {
    value: 'dir',
    text: 'merge into this folder of skills, created if it does not exist',
    required: true,
  },
  mode: {
    value: 'mode',
    text: 'decide what happens to existing skills',
    choices: ['append', 'replace', 'ask'],
    default: 'append',
  },
  dryRun: { text: 'show the actions without applying them' },
});
export type MergeFlags = FlagsOf<typeof mergeOptions>;
