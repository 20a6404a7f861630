/** One command of a shell line: its words without quotes, and the files that it redirects output to. */
export interface SimpleCommand {
  words: string[];
  writesTo: string[];
}

/** Commands nested deeper are not searched. */
const depthMax = 5;

/**
 * The simple commands of a shell line, including those in `$(…)`, backquotes and `sh -c`. Recognizes
 * plainly written commands; expands nothing and skips here-documents. Takes time linear in the line's
 * length.
 */
export function simpleCommands(line: string, depth = 0): SimpleCommand[] {
  const nested: string[] = [];
  const commands = split(line, nested).map(simpleCommand);
  if (depth >= depthMax) return commands;
  const inside = [...nested, ...commands.flatMap(({ words }) => scriptOf(words))];
  return [...commands, ...inside.flatMap((each) => simpleCommands(each, depth + 1))].filter(
    ({ words, writesTo }) => words.length > 0 || writesTo.length > 0,
  );
}

/** A quoted text, an escape, a separator, a redirection, spaces, or any text up to one of these. */
const token =
  /'([^']*)'?|"((?:[^"\\]|\\[\s\S])*)"?|\\([\s\S]?)|(&>>?|>>?[&|]?|<<?<?)|(&&|\|[|&]?|;;?|&|\r?\n|[(){}`]|\$\()|([ \t]+)|([^\s'"\\<>|&;(){}`$]+|\$)/g;

/** The words of each command. `outputMark` precedes the file of a redirection of output. */
function split(line: string, nested: string[]): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  for (const [, single, double, escaped, redirection, separator, blank, plain] of line.matchAll(token)) {
    const text = single ?? plain ?? escaped ?? double?.replace(/\\([\s\S])/g, '$1');
    if (double !== undefined)
      nested.push(...[...double.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)].map(innerText));
    if (text !== undefined) word = (word ?? '') + text;
    else if (redirection !== undefined) {
      // A descriptor's number belongs to the redirection.
      if (/^\d$/.test(word ?? '')) word = undefined;
      endWord();
      commands.at(-1)?.push(redirection.includes('>') ? outputMark : inputMark);
    } else if (separator !== undefined || blank !== undefined) {
      endWord();
      if (separator !== undefined) commands.push([]);
    }
  }
  endWord();
  return commands;
}

/** Never a word: a command cannot contain NUL. */
const outputMark = '\0>';
const inputMark = '\0<';

function innerText([, dollar, backquote]: RegExpMatchArray): string {
  return dollar ?? backquote ?? '';
}

function simpleCommand(all: readonly string[]): SimpleCommand {
  const isFile = (at: number): boolean => all[at - 1] === outputMark || all[at - 1] === inputMark;
  const isMark = (word: string): boolean => word === outputMark || word === inputMark;
  return {
    words: withoutPrefix(all.filter((word, at) => !isMark(word) && !isFile(at))),
    writesTo: all.filter((word, at) => all[at - 1] === outputMark && !isMark(word) && !/^\d$|^-$/.test(word)),
  };
}

const wrappers = /^(sudo|doas|env|command|exec|nohup|time|nice|xargs|then|do|else|if|while|!)$/;

/** The words without variable assignments and wrapper programs with their flags. */
function withoutPrefix(words: readonly string[]): string[] {
  let at = 0;
  let wrapped = false;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (wrappers.test(word)) wrapped = true;
    else if (!/^\w+=/.test(word) && !(wrapped && word.startsWith('-'))) break;
  }
  return words.slice(at);
}

/** The script of `sh -c` and similar commands. */
function scriptOf([program = '', ...rest]: readonly string[]): string[] {
  if (!/^(.*\/)?((ba|da|k|z)?sh|eval)$/.test(program)) return [];
  if (program.endsWith('eval')) return [rest.join(' ')];
  const flag = rest.findIndex((word) => /^-\w*c\w*$/.test(word));
  return flag === -1 ? [] : rest.slice(flag + 1, flag + 2);
}
