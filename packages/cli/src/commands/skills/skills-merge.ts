import { defineCommand } from '../../command/define-command.ts';
import { mergeOptions } from '../../command/migrate-options.ts';

/** `ambit skills merge` */
export const skillsMerge = defineCommand({
  name: 'skills merge',
  summary: 'merge learned skills into a folder of skills',
  description:
    "Merge an agent's learned skills into a folder of skills. New skills are added. For an existing skill, append preserves the definition and adds the learned phases, replace takes the learned skill and stores the old one aside, and ask asks. Learned skills are validated strictly and never executed; skills with links are refused.",
  args: { folder: { text: 'a learned skill, or a folder of them' } },
  options: mergeOptions,
  examples: {
    'ambit skills merge ./learned --into ./skills --dry-run': 'preview',
    'ambit skills merge ./learned --into ./skills --mode ask': 'ask about each skill',
  },
  async run(context, flags, { folder }) {
    const { runMerge } = await import('../../migrate/run-merge.ts');
    await runMerge(context, flags, folder);
  },
});
