import { type Command, Option } from 'commander';
import { type CommandContext, examples } from '../../command/command-context.ts';

/** `ambit skills merge` */
export function addSkillsMerge(skills: Command, context: CommandContext): void {
  skills
    .command('merge')
    .summary('merge learned skills into a folder of skills')
    .description(
      "Merge an agent's learned skills into a folder of skills. New skills are added. For an existing skill, append preserves the definition and adds the learned phases, replace takes the learned skill and stores the old one aside, and ask asks. Learned skills are validated strictly and never executed; skills with links are refused.",
    )
    .argument('<folder>', 'a learned skill, or a folder of them')
    .requiredOption('--into <dir>', 'merge into this folder of skills, created if it does not exist')
    .addOption(
      new Option('--mode <mode>', 'decide what happens to existing skills')
        .choices(['append', 'replace', 'ask'])
        .default('append'),
    )
    .option('--dry-run', 'show the actions without applying them')
    .addHelpText(
      'after',
      examples(
        ['ambit skills merge ./learned --into ./skills --dry-run', 'preview'],
        ['ambit skills merge ./learned --into ./skills --mode ask', 'ask about each skill'],
      ),
    )
    .action(async (folder: string, _options, command: Command) => {
      const { runMerge } = await import('../../migrate/run-merge.ts');
      await runMerge(context, command, folder);
    });
}
