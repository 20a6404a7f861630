import { type Command, Option } from 'commander';
import { type CommandContext, examples } from '../../command/command-context.ts';

/** `ambit skills merge` */
export function addSkillsMerge(skills: Command, context: CommandContext): void {
  skills
    .command('merge')
    .summary('take learned skills over into a folder of skills')
    .description(
      'Takes skills that an agent has learned over into a folder of skills. New ones are added. Of one that is there, append keeps the definition and adds the learned phases, replace takes the learned one and keeps the old aside, and ask asks. Each is checked strictly first, nothing of it is executed, and one with a link in it is refused.',
    )
    .argument('<folder>', 'a learned skill, or a folder of them')
    .requiredOption('--into <dir>', 'the folder of skills; made if it is not there')
    .addOption(
      new Option('--mode <mode>', 'for skills that are there already')
        .choices(['append', 'replace', 'ask'])
        .default('append'),
    )
    .option('--dry-run', 'only show what would happen')
    .addHelpText(
      'after',
      examples(
        ['ambit skills merge ./learned --into ./skills --dry-run', 'see it first'],
        ['ambit skills merge ./learned --into ./skills --mode ask', 'decide each'],
      ),
    )
    .action(async (folder: string, _options, command: Command) => {
      const { runMerge } = await import('../../migrate/run-merge.ts');
      await runMerge(context, command, folder);
    });
}
