import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SkillError } from '@ambit/core';
import { SkillId, skillNotFound } from '@ambit/core/skill';
import { folderCatalog } from '@ambit/runtime';
import { ConfigError } from '@ambit/server/config';
import { inspectFolder, type ReviewedSkill, type SkillReview } from '@ambit/server/installs';
import { shellWord, UntrustedError } from '@ambit/server/trust';
import { type CommandContext, defineCommand } from '../../../command/define-command.ts';
import { withSearchedPlaces } from '../../../command/searched-places.ts';
import { sourceWords } from '../installs/source-words.ts';
import { installedReview, installText } from './review-installed.ts';
import { reviewSarif } from './review-sarif.ts';
import { isSource, sourceSkill } from './review-source.ts';
import { reviewText } from './review-text.ts';

/** `ambit skills review` */
export const skillsReview = defineCommand({
  name: 'skills review',
  summary: 'show what a skill asks for and what is suspicious in it',
  description:
    'Show what a skill is, what it asks for, and what a person should read before using it. Runs nothing. Findings are advice: no finding does not mean that a skill is safe. Exits with 3 only for hidden text that no honest skill needs.',
  args: { skill: { text: `the id of a skill, its folder, ${sourceWords}` } },
  options: {
    all: { text: 'list every note, and what each script names' },
    sarif: { text: 'print the findings as SARIF 2.1.0, in place of --json' },
  },
  examples: {
    'ambit skills review ./downloaded/pdf-forms': 'a folder, before it is configured',
    'ambit skills review csv-profile': 'a configured skill',
    'ambit skills review ./skills.zip#:pdf-forms': 'a skill in an archive',
    'ambit skills review acme/skills#v1.2:pdf-forms': 'a skill in a repository on GitHub',
    'ambit skills review ./my-skill --sarif > review.sarif': 'for a code host',
  },
  async run(context, flags, { skill: named }) {
    const { print } = context;
    const installed = await installedReview(context, named);
    if (installed !== undefined) {
      const { review, changes } = installed;
      if (flags.sarif === true) print.document(reviewSarif(review));
      else if (print.json) print.document(changes);
      else
        print.lines(
          ...reviewText(
            print,
            review,
            await withGrants(context, flags.all, review.id),
            installText(context, changes),
          ),
        );
      context.exitCode = review.findings.some(({ severity }) => severity === 'refuse') ? 3 : 0;
      return;
    }
    const from = (await isSource(context.terminal.cwd(), named))
      ? await sourceSkill(context, named)
      : undefined;
    let review: SkillReview;
    try {
      const { skill, otherIds } = await chosenSkill(context, from?.root ?? named);
      review = { ...(await inspectFolder(skill, otherIds)), source: from?.source ?? null };
      if (from !== undefined && 'digest' in skill) review.signer = await from.signer(skill);
    } finally {
      await from?.close();
    }
    if (flags.sarif === true) print.document(reviewSarif(review));
    else if (print.json) print.document(review);
    else print.lines(...reviewText(print, review, await withGrants(context, flags.all, review.id)));
    context.exitCode = review.findings.some(({ severity }) => severity === 'refuse') ? 3 : 0;
  },
});

/** The options of the review, with what the operator grants the skill already: nothing where no configuration can be read. */
async function withGrants({ loadConfig, flags }: CommandContext, all: boolean | undefined, id: string) {
  const config = await loadConfig(flags).catch(() => undefined);
  return { all, operator: config?.grants[id] };
}

interface ChosenSkill {
  skill: ReviewedSkill;
  otherIds: readonly string[];
}

/** An id names a configured skill. Anything else, and a name that is not configured, is a folder. */
async function chosenSkill(context: CommandContext, named: string): Promise<ChosenSkill> {
  const { terminal, flags } = context;
  const isId = SkillId.safeParse(named).success;
  const folder = resolve(terminal.cwd(), named);
  if (!isId || (await isNonEmptyFolder(folder))) {
    const otherIds = await configuredIds(context);
    if (!isId || !otherIds.includes(named)) return { skill: await skillIn(folder, named), otherIds };
  }
  const config = await context.loadConfig(flags);
  const { catalogOf } = await import('@ambit/server/local');
  const catalog = catalogOf(config, terminal.env);
  const found = await catalog.find(named);
  if (found === undefined)
    throw await withSearchedPlaces(await skillNotFound(named, catalog), context, config, named);
  const ids = (await catalog.list()).map(({ id }) => id).filter((id) => id !== found.id);
  return { skill: found, otherIds: ids };
}

async function isNonEmptyFolder(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length > 0;
}

/** The only skill in a folder. It may be unusable. */
async function skillIn(folder: string, named: string): Promise<ReviewedSkill> {
  const catalog = folderCatalog([{ path: folder, tier: 'untrusted' }]);
  try {
    const found = [...(await catalog.list()), ...(await catalog.broken())];
    const [first] = found;
    if (first === undefined) {
      throw new SkillError(
        'SKILL_NOT_FOUND',
        `${named} is not the id of a configured skill, and there is no SKILL.md in that folder`,
      );
    }
    if (found.length === 1 || first.root === folder) return first;
    const names = found.slice(0, 10).map(({ root }) => shellWord(join(named, root.slice(folder.length + 1))));
    const more = found.length > names.length ? ` and ${found.length - names.length} more` : '';
    throw new SkillError(
      'SKILL_AMBIGUOUS',
      `${named} has ${found.length} skills. Review one of them: ${names.join(', ')}${more}`,
    );
  } finally {
    await catalog.close();
  }
}

/** The ids of configured skills. A folder can be reviewed where no configuration can be used. */
async function configuredIds({ loadConfig, terminal, flags }: CommandContext): Promise<string[]> {
  try {
    const config = await loadConfig(flags);
    const { catalogOf } = await import('@ambit/server/local');
    return (await catalogOf(config, terminal.env).list()).map(({ id }) => id);
  } catch (error) {
    if (error instanceof ConfigError || error instanceof UntrustedError) return [];
    throw error;
  }
}
