/**
 * The tools of `allowed-tools`, which blanks or commas separate: `Bash(git add *) Read, Grep` has
 * three. What is in parentheses belongs to the name before them, also after a blank. Runs of blanks
 * count as one, and those at the inner sides of parentheses not at all, so that spacing is not a
 * change of what a skill asks for. A parenthesis that is not closed ends with the text.
 */
export function toolNames(text: string): string[] {
  const tools: string[] = [];
  let [tool, depth] = ['', 0];
  const add = (): void => {
    if (tool !== '') tools.push(tool.trimEnd());
    tool = '';
  };
  const written = text.replace(/\s+/g, ' ');
  for (let at = 0; at < written.length; at++) {
    const [mark, next] = [written.charAt(at), written.charAt(at + 1)];
    if (depth === 0 && (mark === ',' || mark === ')' || (mark === ' ' && next !== '('))) add();
    else if (mark === ' ' && (depth === 0 || (depth === 1 && (tool.endsWith('(') || next === ')')))) continue;
    else {
      tool += mark;
      if (mark === '(') depth += 1;
      else if (mark === ')' && --depth === 0) add();
    }
  }
  add();
  return tools;
}
