import type { ActivityKind } from './activity-kind.ts';
import { installsPackages } from './installs-packages.ts';
import { sensitivePath } from './sensitive-path.ts';
import { type SimpleCommand, simpleCommands } from './simple-commands.ts';
import { transfersOut } from './transfers-out.ts';

/** Returns the activities of the commands in a shell line, unsorted, with duplicates. */
export function commandActivities(line: string): ActivityKind[] {
  return simpleCommands(line).flatMap((command) => {
    const { words } = command;
    const kinds: ActivityKind[] = [];
    if (opensUrl(words)) kinds.push('url-browsed');
    if (writtenFiles(command).some(sensitivePath)) kinds.push('sensitive-file-write');
    if (installsPackages(words)) kinds.push('package-install');
    if (transfersOut(words)) kinds.push('outbound-transfer');
    return kinds;
  });
}

const browsers = /^(curl|wget|lynx|w3m|links|xdg-open|open|http|https)$/;

function opensUrl([program = '', ...rest]: readonly string[]): boolean {
  return browsers.test(baseName(program)) && rest.some((word) => /^https?:\/\//i.test(word));
}

/** The targets of redirections, and the files that common programs write. */
function writtenFiles({ words: [program = '', ...rest], writesTo }: SimpleCommand): string[] {
  const operands = rest.filter((word) => !word.startsWith('-'));
  return [...writesTo, ...filesOf(baseName(program), rest, operands)];
}

function filesOf(program: string, rest: readonly string[], operands: readonly string[]): readonly string[] {
  switch (program) {
    case 'tee':
    case 'touch':
    case 'truncate':
    case 'chmod':
    case 'chown':
    case 'rm':
      return operands;
    case 'cp':
    case 'mv':
    case 'ln':
    case 'install':
      return operands.slice(-1);
    case 'sed':
      return rest.some((word) => /^(-\w*i|--in-place)/.test(word)) ? operands : [];
    case 'dd':
      return rest.filter((word) => word.startsWith('of=')).map((word) => word.slice('of='.length));
    case 'curl':
    case 'wget':
      return rest.filter((_, at) => /^(-\w*[oO]|--output|--output-document)$/.test(rest[at - 1] ?? ''));
    case 'crontab':
      return operands.length > 0 || rest.includes('-e') || rest.includes('-') ? ['crontab'] : [];
    default:
      return [];
  }
}

function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
