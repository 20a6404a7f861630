/** Programs, and the first words of their arguments that install something. */
const installs: readonly (readonly [RegExp, RegExp])[] = [
  [/^(npm|pnpm|bun)$/, /^(i|install|add|ci|update|upgrade)$/],
  [/^yarn$/, /^(add|install|up|upgrade|global)$/],
  [/^pip[\d.]*$|^pipx$/, /^install$/],
  [/^uv$/, /^(add|sync|tool install|pip install)/],
  [/^(poetry|pdm|composer|bundle)$/, /^(add|install|require|update)$/],
  [/^(apt|apt-get|aptitude|dnf|yum|zypper|brew|conda|mamba|snap|flatpak|choco|winget)$/, /^install$/],
  [/^apk$/, /^add$/],
  [/^pacman$/, /^-S/],
  [/^(cargo|gem|go|rustup)$/, /^(install|add|get|component add|target add)$/],
];

/** Programs that fetch a package and run it. */
const runners = /^(npx|pnpx|bunx|uvx)$/;

/** Whether a command installs packages. */
export function installsPackages(words: readonly string[]): boolean {
  const [program, rest] = started(words);
  if (runners.test(program)) return rest.length > 0;
  const verbs = program === 'pacman' ? rest : rest.filter((word) => !word.startsWith('-'));
  return installs.some(
    ([programs, what]) =>
      programs.test(program) && (what.test(verbs[0] ?? '') || what.test(verbs.slice(0, 2).join(' '))),
  );
}

/** The program and its arguments: `python3 -m pip install` is `pip install`. */
function started([first = '', ...rest]: readonly string[]): [string, readonly string[]] {
  const program = first.slice(first.lastIndexOf('/') + 1);
  if (/^python[\d.]*$/.test(program) && rest[0] === '-m') return [rest[1] ?? '', rest.slice(2)];
  return [program, rest];
}
