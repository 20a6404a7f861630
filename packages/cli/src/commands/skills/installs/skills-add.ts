import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineCommand } from '../../../command/define-command.ts';
import { changeLines, nextLines } from '../../../installs/change-text.ts';
import { withInstalls } from '../../../installs/with-installs.ts';
import { printableLine } from '../../../output/printable.ts';
import { sourceWords } from './source-words.ts';

/** `ambit skills add`: installs the skills of a source. */
export const skillsAdd = defineCommand({
  name: 'skills add',
  summary: 'install skills from a folder, an archive, a repository or a server',
  description:
    'Install the skills of a folder, an archive, a repository or a server. Ambit reads and reviews them, stores them by digest and lists them in ambit.lock. It runs none of their code. Prompts list their instructions as untrusted. Python scripts run in WebAssembly; other programs of a skill run only after a person approved it.',
  args: { source: { text: `a folder, ${sourceWords}`, completes: 'files' } },
  options: {
    namespace: {
      value: 'name',
      text: 'begin their ids with this name (default: from the source)',
      details:
        'The default is the owner of a repository, the host of a site or an archive, or the name of a file or folder',
    },
    skill: { value: 'name', text: 'install only this skill (repeatable)', repeatable: true },
  },
  examples: {
    'ambit skills add acme/skills': 'all skills of a repository on GitHub',
    'ambit skills add acme/skills#v1.2:pdf-forms': 'a folder of it, at a tag',
    'ambit skills add ./skills.zip --namespace acme': 'an archive',
    'ambit skills add https://a.example': 'what a site lists at /.well-known/agent-skills/',
    'ambit skills add oci://registry.example/acme/skills:v1.2': 'an artifact in a registry',
    'ambit skills add mcp+https://a.example/mcp': 'the skills of an MCP server',
    'ambit skills add ./clone --skill pdf-forms --json': 'one skill of a folder, as JSON',
  },
  async run(context, flags, { source: typed }) {
    const { print } = context;
    const source = absolute(context.terminal.cwd(), typed);
    const { namespace, skill } = flags;
    const changes = await withInstalls(context, `Adding ${printableLine(typed)}`, (installs) =>
      installs.add({ source, namespace, skills: skill }),
    );
    if (changes.skills.length === 0) context.exitCode = 3;
    if (print.json) {
      print.document(changes);
      return;
    }
    if (changes.skills.length === 0 && changes.refused.length === 0)
      print.lines(`There is no SKILL.md in ${printableLine(typed)}.`);
    print.lines(...changeLines(print, changes));
    print.note(...(await nextLines(changes, flags)));
  },
});

/** A path of this machine as an absolute path, which the lock file lists; anything else as typed. */
function absolute(cwd: string, typed: string): string {
  const isPath = (path: string): boolean => existsSync(resolve(cwd, path));
  if (isPath(typed)) return resolve(cwd, typed);
  const hash = typed.indexOf('#');
  if (hash === -1 || !isPath(typed.slice(0, hash))) return typed;
  return resolve(cwd, typed.slice(0, hash)) + typed.slice(hash);
}
